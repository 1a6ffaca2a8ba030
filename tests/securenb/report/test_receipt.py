"""Receipts: what they say, that no byte of them can be changed, and that their verifier stands alone."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from protocols.canonical import digest
from protocols.primitives.identity import Identity
from securenb.cli.main import MISTAKE, main
from securenb.experiments.run_folder import MANIFEST
from securenb.privacy.journal import LedgerFile
from securenb.report import receipt, receipt_verifier
from securenb.report.receipt import RECEIPT, ml_dsa_key, receipt_of, signed
from securenb.report.receipt_verifier import (
    ED25519,
    ML_DSA,
    Refused,
    fingerprint,
    rendered,
    statement,
    verified,
)

SEED, OTHER = bytes(range(32)), bytes(range(1, 33))
KEY = Identity(SEED).public.hex()
TRAIN = ["train", "phishing", "--nodes", "5", "--protocol", "plain", "--epsilon", "1", "--seed", "3"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a round with cells, charged to a ledger."""
    folder = tmp_path_factory.mktemp("receipt")
    ledger = ["--ledger", str(folder / "ledger.jsonl"), "--budget", "30"]
    assert main([*TRAIN, *ledger, "--witnesses", "400", "--out", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture(scope="module")
def data(run):
    return signed(receipt_of(run), "hospital 1", SEED)


def test_a_receipt_says_what_was_promised_and_shown(run, data):
    body, post_quantum = verified(data, KEY)
    assert post_quantum
    manifest = json.loads((run / MANIFEST).read_text())
    assert body["schema"] == manifest["schema"]
    assert body["ledger"]["head"] == LedgerFile(run.parent / "ledger.jsonl").head()
    assert body["versions"] == manifest["versions"]
    round_ = body["rounds"]["plain"]
    privacy = round_["differential privacy"]
    assert privacy["guarantee"] == "epsilon-differential privacy (pure)"
    assert privacy["unit of privacy"] == "record"
    views = {(view["what"], view["adjacency"]): view["epsilon"] for view in privacy["privacy loss"]}
    assert views["opened rows", "add-remove"] == "1"
    assert views["opened rows", "replace-one"] == "2"
    assert float(views["nodes' vectors", "add-remove"]) > 10  # one share of a dose
    assert round_["noise witnesses"]["found"] == "as claimed"
    assert "must trust its own ledger" in body["says"]
    assert body["signer"]["name"] == "hospital 1"
    assert "simulation" in body["run"]["randomness"]


def test_no_byte_can_be_changed(data):
    """Each byte of a sample becomes another; digits, letters, spaces, and what is no text at all."""
    rng = np.random.default_rng(1)
    for at in sorted(rng.choice(len(data), 400, replace=False)):
        for other in {data[at] ^ 1, data[at] ^ 0x20, int(rng.integers(256))} - {data[at]}:
            with pytest.raises(Refused):
                verified(data[:at] + bytes([other]) + data[at + 1 :], KEY)


def test_nothing_can_be_cut_added_or_written_otherwise(data):
    whole = json.loads(data)
    for changed in (
        data[:-1],
        data + b"\n",
        data[1:],
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"receipt": {}, "signatures": {}}',
        b"[" * 100_000,
        json.dumps(whole).encode(),
        rendered({**whole, "more": 1}),
        rendered({**whole, "signatures": {ED25519: whole["signatures"][ED25519]}}),
        rendered({**whole, "signatures": {**whole["signatures"], "none": ""}}),
        data.replace(whole["signatures"][ED25519].encode(), whole["signatures"][ED25519].upper().encode()),
    ):
        with pytest.raises(Refused):
            verified(changed, KEY)


def test_a_foreign_key_is_refused_and_so_is_a_signature_without_the_key_beside_it(run, data):
    foreign = signed(receipt_of(run), "hospital 1", OTHER)
    with pytest.raises(Refused, match="another key signed"):
        verified(foreign, KEY)
    verified(foreign, Identity(OTHER).public.hex())
    # the second signature cannot be swapped for one that another key made
    body = json.loads(data)["receipt"]
    mixed = {
        **body,
        "signer": {**body["signer"], ML_DSA: ml_dsa_key(OTHER).public_key().public_bytes_raw().hex()},
    }
    second = ml_dsa_key(OTHER).sign(statement(rendered(mixed)))
    signatures = {ED25519: json.loads(data)["signatures"][ED25519], ML_DSA: second.hex()}
    with pytest.raises(Refused, match="Ed25519 signature does not hold"):
        verified(rendered({"receipt": mixed, "signatures": signatures}), KEY)


def test_the_second_key_can_be_asked_for(data):
    key = ml_dsa_key(SEED).public_key().public_bytes_raw()
    assert verified(data, KEY, fingerprint(key))[1]
    with pytest.raises(Refused, match="ML-DSA key"):
        verified(data, KEY, "00" * 32)


def test_without_ml_dsa_there_is_one_signature(run, monkeypatch):
    monkeypatch.setattr(receipt, "ml_dsa_key", lambda seed: None)
    alone = signed(receipt_of(run), "hospital 1", SEED)
    body, post_quantum = verified(alone, KEY)
    assert not post_quantum
    assert ML_DSA not in body["signer"]
    with pytest.raises(Refused, match="ML-DSA key"):
        verified(alone, KEY, "00" * 32)


def test_where_ml_dsa_is_missing_the_other_signature_covers_it(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    assert verified(data, KEY)[1] is False
    second = json.loads(data)["signatures"][ML_DSA]
    changed = data.replace(second.encode(), (("0" if second[0] != "0" else "1") + second[1:]).encode())
    with pytest.raises(Refused, match="Ed25519"):
        verified(changed, KEY)
    with pytest.raises(Refused, match="no ML-DSA to check"):
        verified(data, KEY, fingerprint(bytes.fromhex(json.loads(data)["receipt"]["signer"][ML_DSA])))


def test_what_is_signed_is_what_protocols_would_sign():
    assert statement(b"a", b"") == digest("securenb receipt", b"a", b"")


def test_the_verifier_needs_only_cryptography(run, data, tmp_path):
    source = Path(receipt_verifier.__file__)
    roots = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert roots - {"cryptography"} <= sys.stdlib_module_names
    alone, kept = tmp_path / "verifier.py", tmp_path / "receipt.json"
    alone.write_bytes(source.read_bytes())
    kept.write_bytes(data)
    done = [
        subprocess.run([sys.executable, "-I", alone, kept, key], capture_output=True, text=True, check=False)
        for key in (KEY, Identity(OTHER).public.hex())
    ]
    assert [each.returncode for each in done] == [0, 1]
    assert "signed by hospital 1" in done[0].stdout
    assert done[1].stderr == f"refused: another key signed: the receipt is of {KEY}\n"


def test_the_command_signs_and_verifies(run, tmp_path, capsys):
    key, out, verifier = (tmp_path / name for name in ("signer.key", "receipt.json", "verifier.py"))
    options = ["--key", str(key), "--signer", "hospital 1", "--out", str(out)]
    assert main(["receipt", str(run), *options, "--make-key", "--verifier", str(verifier)]) == 0
    public = Identity(bytes.fromhex(key.read_text())).public.hex()
    assert f"signed by hospital 1, Ed25519 {public}" in capsys.readouterr().out
    assert verifier.read_text() == Path(receipt_verifier.__file__).read_text()
    assert main(["receipt", str(out), "--verify", public]) == 0
    assert "noise witnesses: as claimed" in capsys.readouterr().out
    roster = tmp_path / "roster.toml"
    roster.write_text(f'"hospital 1" = "{public}"\n')
    assert main(["receipt", str(out), "--verify", str(roster), "--signer", "hospital 1"]) == 0


def refused(words, capsys):
    capsys.readouterr()
    assert main(words) == MISTAKE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_what_is_wrong_is_one_line(run, data, tmp_path, capsys):
    kept, roster, key = (tmp_path / name for name in ("receipt.json", "roster.toml", "signer.key"))
    kept.write_bytes(data.replace(b'"epsilon": "1"', b'"epsilon": "2"', 1))
    roster.write_text(f'"aggregator" = "{KEY}"\n')
    key.write_text(SEED.hex())
    assert "was changed" in refused(["receipt", str(kept), "--verify", KEY], capsys)
    assert "no key of hospital 1" in refused(
        ["receipt", str(kept), "--verify", str(roster), "--signer", "hospital 1"], capsys
    )
    assert "another key signed" in refused(["receipt", str(kept), "--verify", "00" * 32], capsys)
    assert "No such file" in refused(["receipt", str(tmp_path / "no"), "--verify", KEY], capsys)
    assert "who signs?" in refused(["receipt", str(run)], capsys)
    assert "is no run" in refused(["receipt", str(tmp_path), "--key", str(key)], capsys)
    assert "holds no identity key" in refused(["receipt", str(run), "--key", str(roster)], capsys)
    assert "will not be replaced" in refused(["receipt", str(run), "--key", str(key), "--make-key"], capsys)
    assert "will not be replaced" in refused(
        ["receipt", str(run), "--key", str(key), "--out", str(kept)], capsys
    )
    assert not (run / RECEIPT).exists()


def test_a_run_that_was_changed_gets_no_receipt(tmp_path, capsys):
    assert main([*TRAIN, "--witnesses", "100", "--out", str(tmp_path / "run")]) == 0
    for name in ("rounds.json", "witnesses.json"):
        path = tmp_path / "run" / name
        before = path.read_text()
        path.write_text(before.replace("as claimed", "claim broken"))
        with pytest.raises(ValueError, match="is not what the run wrote"):
            receipt_of(tmp_path / "run")
        path.write_text(before)
    receipt_of(tmp_path / "run")


def test_a_run_that_protects_nodes_says_so(tmp_path):
    ledger = [
        "--ledger",
        str(tmp_path / "ledger.jsonl"),
        "--budget",
        "900",
        "--unit",
        "node",
        "--record-cap",
        "400",
    ]
    assert main([*TRAIN, *ledger, "--out", str(tmp_path / "run")]) == 0
    privacy = receipt_of(tmp_path / "run")["rounds"]["plain"]["differential privacy"]
    assert privacy["unit of privacy"] == "node of at most 400 records"
    rows = {
        view["adjacency"]: view["epsilon"]
        for view in privacy["privacy loss"]
        if view["what"] == "opened rows"
    }
    assert rows["add-remove"] == "400"


def test_a_run_without_noise_promises_nothing(tmp_path):
    words = [word if word != "1" else "none" for word in TRAIN]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    body = receipt_of(tmp_path / "run")
    assert body["rounds"]["plain"]["differential privacy"]["guarantee"] == "no differential privacy"
    assert body["rounds"]["plain"]["noise witnesses"] is None
    signed(body, "hospital 1", SEED)
