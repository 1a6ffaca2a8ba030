"""Verify a receipt: this file alone, with Python and `cryptography`, and nothing of securenb.

    python receipt_verifier.py receipt.json KEY

KEY is the signer's Ed25519 key in 64 hexadecimal digits, from a source that you trust, such as the roster of
the deployment: a receipt says who signed it, and any key can sign. The exit code is 0 if the signer signed
these very bytes, and 1 with one line on standard error otherwise.

A receipt is what its signer says. A site must trust its own ledger, which no other party writes.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "securenb receipt 1"
LABEL = "securenb receipt"
ED25519, ML_DSA = "ed25519", "ml-dsa-65"
LARGEST = 1 << 24
"""Bytes of a file that is read."""


class Refused(ValueError):
    """A file that is no receipt of this signer, and why, in one line."""


def rendered(value: Mapping[str, Any]) -> bytes:
    """The one way in which a receipt, or its body, is written."""
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def statement(*parts: bytes) -> bytes:
    """What is signed, 32 bytes: SHA-256 over typed and counted items (`protocols.canonical` of securenb)."""
    items = [(b"s", LABEL.encode()), *((b"b", part) for part in parts)]
    content = b"".join(tag + len(item).to_bytes(8, "big") + item for tag, item in items)
    return hashlib.sha256(b"l" + len(content).to_bytes(8, "big") + content).digest()


def fingerprint(key: bytes) -> str:
    """SHA-256 of a public key, in hexadecimal digits."""
    return hashlib.sha256(key).hexdigest()


def verified(data: bytes, key: str, ml_dsa: str | None = None) -> tuple[dict[str, Any], bool]:
    """The body of a receipt that its signer signed, and whether its ML-DSA signature was checked.

    Parameters
    ----------
    data
        The whole file.
    key
        The Ed25519 key that it must be signed with, in hexadecimal digits.
    ml_dsa
        The fingerprint of the ML-DSA key that it must be signed with, too; by default that key is the one
        for which the Ed25519 key vouches.

    Raises
    ------
    Refused
        If it is none, if any byte was changed, or if another key signed.
    """
    try:
        receipt = json.loads(data)
        body, signatures = receipt["receipt"], receipt["signatures"]
        keys = {
            name: bytes.fromhex(body["signer"][name]) for name in (ED25519, ML_DSA) if name in body["signer"]
        }
        signed = {name: bytes.fromhex(signature) for name, signature in signatures.items()}
        exact = rendered(receipt) == data and set(receipt) == {"receipt", "signatures"}
        # digits have two cases, of which only one is written
        exact = exact and all(signed[name].hex() == signature for name, signature in signatures.items())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Refused("this is no receipt") from None
    if body.get("format") != FORMAT:
        raise Refused(f"the receipt is of the format {str(body.get('format'))[:40]!r}, this reads {FORMAT!r}")
    if not exact or set(signed) != set(keys) or ED25519 not in keys:
        raise Refused("the receipt was changed: it is not written as its signer wrote it")
    if keys[ED25519].hex() != key.strip().lower():
        raise Refused(f"another key signed: the receipt is of {keys[ED25519].hex()}")
    content = rendered(body)
    try:
        named = Ed25519PublicKey.from_public_bytes(keys[ED25519])
        named.verify(signed[ED25519], statement(content, signed.get(ML_DSA, b"")))
    except (InvalidSignature, ValueError):
        raise Refused("the receipt was changed: its Ed25519 signature does not hold") from None
    if ml_dsa is not None and (ML_DSA not in keys or fingerprint(keys[ML_DSA]) != ml_dsa.strip().lower()):
        raise Refused("the receipt has no signature of this ML-DSA key")
    return body, _post_quantum(keys, signed, content, wanted=ml_dsa is not None)


def _post_quantum(
    keys: Mapping[str, bytes], signed: Mapping[str, bytes], content: bytes, *, wanted: bool
) -> bool:
    """Whether an ML-DSA signature is there, and holds; one that this machine cannot check is not enough."""
    if ML_DSA not in keys:
        return False
    try:
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PublicKey

        MLDSA65PublicKey.from_public_bytes(keys[ML_DSA]).verify(signed[ML_DSA], statement(content))
    except (ImportError, UnsupportedAlgorithm):
        if wanted:
            raise Refused("this release of cryptography has no ML-DSA to check the signature with") from None
        return False
    except (InvalidSignature, ValueError):
        raise Refused("the receipt was changed: its ML-DSA signature does not hold") from None
    return True


def read(path: Path) -> bytes:
    """A file's bytes; `Refused` if it cannot be read, or is larger than any receipt."""
    try:
        if path.stat().st_size > LARGEST:
            raise Refused(f"{path} is larger than any receipt")
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None


def told(body: Mapping[str, Any], *, post_quantum: bool) -> str:
    """Who signed what, in lines for people."""
    signer = body["signer"]
    lines = [f"signed by {signer['name']}, Ed25519 {signer[ED25519]}"]
    if ML_DSA in signer:
        checked = "checked" if post_quantum else "NOT checked: this release of cryptography has none"
        lines.append(f"and ML-DSA-65, fingerprint {fingerprint(bytes.fromhex(signer[ML_DSA]))} ({checked})")
    lines.append(body["says"])
    for name, round_ in body["rounds"].items():
        privacy = round_["differential privacy"]
        lines.append(f"{name}: {privacy['guarantee']}, unit of privacy: {privacy['unit of privacy']}")
        lines += [
            f"  {view['what']}, seen by {view['seen by']}, {view['adjacency']}: "
            f"epsilon {view['epsilon']}, delta {view['delta']:g}"
            for view in privacy["privacy loss"]
        ]
        witnesses = round_["noise witnesses"]
        lines.append("  noise witnesses: " + (witnesses["found"] if witnesses else "none"))
    # what is printed must not steer a terminal
    return "\n".join("".join(c if c.isprintable() else "?" for c in line) for line in lines)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Verify a receipt of securenb.")
    parser.add_argument("receipt", type=Path)
    parser.add_argument(
        "key", help="the signer's Ed25519 key, 64 hexadecimal digits, from a source you trust"
    )
    parser.add_argument(
        "--ml-dsa", metavar="FINGERPRINT", help="SHA-256 of the signer's ML-DSA key, if you have it"
    )
    given = parser.parse_args(arguments)
    try:
        body, post_quantum = verified(read(given.receipt), given.key, given.ml_dsa)
    except Refused as refusal:
        sys.stderr.write(f"refused: {refusal}\n")
        return 1
    sys.stdout.write(told(body, post_quantum=post_quantum) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
