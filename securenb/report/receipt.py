"""A receipt of a run: what was promised of privacy, and what its noise showed, signed.

The terms are those of NIST SP 800-226 (2025): unit of privacy, neighbouring datasets, privacy loss, trust
model. Keys: Ed25519 from the seed of an identity; ML-DSA-65 (FIPS 204) beside it, from a seed that HKDF
derives of that one, where `cryptography` has it. Ed25519 signs the body and the ML-DSA signature, so that
neither can be taken away.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.primitives.identity import Identity
from securenb.experiments.run_folder import MANIFEST
from securenb.privacy.witness_record import FILE as WITNESSES
from securenb.privacy.witness_record import read as read_witnesses
from securenb.privacy.witness_record import summary
from securenb.report.receipt_verifier import ED25519, FORMAT, ML_DSA, rendered, statement
from securenb.report.record import FILE as ROUNDS

RECEIPT = "receipt.json"
"""Where a run folder has its receipt."""

SAYS = (
    "This is what its signer says of a run, and no proof that the run was so. A site must trust its own "
    "ledger, which no other party writes, and not this receipt."
)

ADJACENT = {
    "add-remove": "datasets that differ by one unit more or less",
    "replace-one": "datasets of equal size that differ in one unit",
}


def receipt_of(folder: Path) -> dict[str, Any]:
    """What a receipt of a run says, but for who signs it.

    Raises
    ------
    ValueError
        If the folder is no run of `train`, `compare` or a deployment, or holds other files than its
        manifest says.
    """
    manifest = _manifest(folder)
    rounds = json.loads((folder / ROUNDS).read_text(encoding="utf-8"))
    privacy = manifest.get("privacy", {})
    witnesses = read_witnesses(folder) if WITNESSES in manifest["files"] else {}
    plan = manifest.get("plan")
    return {
        "format": FORMAT,
        "says": SAYS,
        "run": {
            "finished": manifest["finished"],
            "manifest": hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest(),
            "randomness": manifest["randomness"],
            "session": manifest.get("session"),
        },
        "schema": manifest.get("schema"),
        "plan": {
            "sha256": plan or hashlib.sha256(rendered(manifest["scenario"])).hexdigest(),
            "of": "the plan that the coordinator signed and every site checked"
            if plan
            else "the run's choices",
        },
        "ledger": {
            "head": privacy.get("ledger"),
            "whose": "the run's own file"
            if privacy.get("ledger")
            else "none was charged here; sites have theirs",
        },
        "rounds": {
            name: {
                "differential privacy": _privacy(round_, privacy),
                "nodes in each opened row": round_["rows"],
                "noise witnesses": summary(witnesses[name]) if name in witnesses else None,
            }
            for name, round_ in rounds.items()
        },
        "versions": manifest["versions"],
    }


def signed(body: Mapping[str, Any], signer: str, seed: bytes) -> bytes:
    """The receipt as a file.

    Parameters
    ----------
    signer
        What the signer is called.
    seed
        32 secret bytes of its identity.
    """
    identity, post_quantum = Identity(seed), ml_dsa_key(seed)
    keys = {ED25519: identity.public.hex()}
    if post_quantum is not None:
        keys[ML_DSA] = post_quantum.public_key().public_bytes_raw().hex()
    whole = {**body, "signer": {"name": signer, **keys}}
    content = rendered(whole)
    second = b"" if post_quantum is None else post_quantum.sign(statement(content))
    signatures = {ED25519: identity.sign(statement(content, second)).hex()}
    if post_quantum is not None:
        signatures[ML_DSA] = second.hex()
    return rendered({"receipt": whole, "signatures": signatures})


def ml_dsa_key(seed: bytes) -> Any:
    """The ML-DSA-65 key that goes with an identity; `None` where `cryptography` has none."""
    derived = HKDF(SHA256(), 32, salt=None, info=b"securenb receipt ml-dsa-65").derive(seed)
    try:
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PrivateKey

        return MLDSA65PrivateKey.from_seed_bytes(derived)
    except (ImportError, UnsupportedAlgorithm):
        return None


def _privacy(round_: Mapping[str, Any], privacy: Mapping[str, Any]) -> dict[str, Any]:
    unit = privacy.get("unit", "record")
    losses = round_["charges"] if unit == "record" else privacy["losses"]
    private = all(loss["epsilon"] != "not private" for loss in losses)
    pure = all(loss["delta"] == 0 for loss in losses)
    return {
        "guarantee": (
            "no differential privacy"
            if not private
            else "epsilon-differential privacy (pure)"
            if pure
            else "(epsilon, delta)-differential privacy (approximate)"
        ),
        "unit of privacy": unit if unit == "record" else f"node of at most {privacy['cap']} records",
        "neighbouring datasets": ADJACENT,
        "trust model": round_["claims"]["trust"],
        "mechanism": round_["mechanisms"],
        "privacy loss": [
            {key: loss[key] for key in ("what", "seen by", "adjacency", "epsilon", "delta")}
            for loss in losses
        ],
        "composition": "of this round alone; what the same people lost elsewhere is in their ledgers",
    }


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest, if every file that the receipt speaks of is what it says."""
    try:
        found: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = found["files"]
        for name in (ROUNDS, *({WITNESSES} & {path.name for path in folder.iterdir()})):
            if files[name] != hashlib.sha256((folder / name).read_bytes()).hexdigest():
                raise ValueError(f"{folder / name} is not what the run wrote, according to its {MANIFEST}")
    except OSError as error:
        raise ValueError(f"{folder} is no run that a receipt can be given for: {error.strerror}") from None
    except (KeyError, TypeError, json.JSONDecodeError):
        raise ValueError(f"{folder} is no run that a receipt can be given for: it has no {ROUNDS}") from None
    return found
