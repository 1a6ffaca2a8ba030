"""Project Wycheproof's vectors (C2SP, Apache-2.0) at our own wrappers of X25519, Ed25519 and AES-256-GCM."""

import json
import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.canonical import encode
from protocols.primitives import sealed
from protocols.primitives.identity import Roster
from protocols.primitives.key_agreement import agree, check_public, exchange, key_pair
from protocols.primitives.sealed import TAG_BYTES, Direction, seal, unseal

FOLDER = os.environ.get("SECURENB_VECTORS")
pytestmark = pytest.mark.skipif(
    FOLDER is None or not (Path(FOLDER) / "wycheproof").is_dir(),
    reason="SECURENB_VECTORS does not point to a folder with Wycheproof's vectors",
)


def cases(name, **group):
    """Every case of a file, with its group, of the groups that have these values."""
    read = json.loads((Path(FOLDER) / "wycheproof" / f"{name}.json").read_text())
    return [
        (each, case)
        for each in read["testGroups"]
        if all(each[key] == value for key, value in group.items())
        for case in each["tests"]
    ]


def raised(function, *arguments):
    try:
        function(*arguments)
    except ValueError:
        return True
    return False


def test_keys_agree_as_published_and_none_that_any_observer_knows_is_accepted():
    tried = cases("x25519")
    assert len(tried) == 518
    for _, case in tried:
        public, shared = bytes.fromhex(case["public"]), bytes.fromhex(case["shared"])
        mine = key_pair(bytes.fromhex(case["private"]))
        zero = "ZeroSharedSecret" in case["flags"]
        assert zero == (shared == bytes(32)), case
        assert raised(exchange, mine, public) == raised(check_public, public) == zero, case
        assert raised(agree, mine, public, "purpose") == zero, case
        if not zero:
            assert exchange(mine, public) == shared, case
            derived = HKDF(SHA256(), 32, None, encode(("purpose",))).derive(shared)
            assert agree(mine, public, "purpose") == derived, case


def test_signatures_are_accepted_exactly_where_they_are_valid():
    tried = cases("ed25519")
    assert len(tried) == 151
    for group, case in tried:
        roster = Roster({"node": bytes.fromhex(group["publicKey"]["pk"])})
        signature, statement = bytes.fromhex(case["sig"]), bytes.fromhex(case["msg"])
        assert roster.signed("node", statement, signature) == (case["result"] == "valid"), case


def test_boxes_open_exactly_where_they_are_valid(monkeypatch):
    tried = cases("aes_gcm", keySize=256, ivSize=96, tagSize=128)
    assert len(tried) == 66
    for _, case in tried:
        # the wrapper makes its nonces itself; here it is given the published ones
        nonce = bytes.fromhex(case["iv"])
        monkeypatch.setattr(sealed, "_nonce", lambda *_, nonce=nonce: nonce)
        key, associated, content = (bytes.fromhex(case[name]) for name in ("key", "aad", "msg"))
        box = bytes.fromhex(case["ct"] + case["tag"])
        assert len(box) == len(content) + TAG_BYTES
        valid = case["result"] == "valid"
        assert raised(unseal, key, Direction.FROM_FIRST, box, associated) == (not valid), case
        if valid:
            assert seal(key, Direction.FROM_FIRST, content, associated) == box, case
            assert unseal(key, Direction.FROM_FIRST, box, associated) == content, case
