"""One unambiguous byte string for a structured value: what gets hashed, signed and bound into keys.

Every item carries its type and length, so no two different values share an encoding.
"""

import hashlib
from collections.abc import Sequence

Canonical = bytes | str | int | Sequence["Canonical"]


def encode(value: Canonical) -> bytes:
    """Type tag, 8-byte length, content; a sequence's content is its items' encodings.

    Examples
    --------
    >>> encode("ab").hex()
    '7300000000000000026162'
    >>> encode(["a", "b"]) == encode(["ab"])
    False
    """
    if isinstance(value, bytes):
        tag, content = b"b", value
    elif isinstance(value, str):
        tag, content = b"s", value.encode()
    elif isinstance(value, bool):
        raise TypeError("a bool has no canonical encoding; use an int")
    elif isinstance(value, int):
        size = (value.bit_length() + 8) // 8
        tag, content = b"i", value.to_bytes(size, "big", signed=True)
    else:
        tag, content = b"l", b"".join(map(encode, value))
    return tag + len(content).to_bytes(8, "big") + content


def digest(label: str, *values: Canonical) -> bytes:
    """SHA-256 of the values under a usage label (32 bytes)."""
    return hashlib.sha256(encode([label, *values])).digest()
