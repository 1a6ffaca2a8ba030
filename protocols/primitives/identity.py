"""Long-term identity keys: who signed, proved to every holder of the roster.

Source: RFC 8032 (Ed25519), through `cryptography`. What is signed is always a 32-byte digest made by
`protocols.canonical.digest` under a label of its own.
"""

from collections.abc import Iterator, Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from protocols.canonical import digest

IDENTITY_SEED_BYTES = 32
IDENTITY_KEY_BYTES = 32
SIGNATURE_BYTES = 64

_PRIME = 2**255 - 19
# y-coordinates of the points whose order divides 8: under such a key one signature fits many statements
_SMALL_ORDER = frozenset(
    {
        0,
        1,
        _PRIME - 1,
        2707385501144840649318225287225658788936804267575313519463743609750303402022,
        55188659117513257062467267217118295137698188065244968500265048394206261417927,
    }
)


class Identity:
    """A long-term signing key.

    Parameters
    ----------
    seed
        32 secret bytes; having them is being able to sign.
    """

    def __init__(self, seed: bytes) -> None:
        self._secret = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._secret.public_key().public_bytes_raw()

    def sign(self, statement: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self._secret.sign(statement)


class Roster(Mapping[str, bytes]):
    """The identity keys of all nodes, by name: public, agreed on before any session.

    Raises
    ------
    ValueError
        For a key that is not one, or that two nodes share: one party could then speak for both.
    """

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        self._raw = dict(keys)
        self._keys: dict[str, Ed25519PublicKey] = {}
        owners: dict[bytes, str] = {}
        for name, key in self._raw.items():
            try:
                _check_public(key)
                self._keys[name] = Ed25519PublicKey.from_public_bytes(key)
            except ValueError as error:
                raise ValueError(f"{name}: {key.hex()} is no identity key ({error})") from None
            if owners.setdefault(key, name) != name:
                raise ValueError(f"{owners[key]} and {name} have the same identity key")
        self.digest = digest("securenb roster", [[name, self._raw[name]] for name in sorted(self._raw)])

    def __getitem__(self, name: str) -> bytes:
        return self._raw[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def signed(self, name: str, statement: bytes, signature: bytes) -> bool:
        """Whether `signature` is that of `name` under `statement`."""
        try:
            self._keys[name].verify(signature, statement)
        except InvalidSignature:
            return False
        return True


def _check_public(key: bytes) -> None:
    """Raise `ValueError` for a key that has a second encoding or small order."""
    coordinate = int.from_bytes(key, "little") & (2**255 - 1)
    if coordinate >= _PRIME:
        raise ValueError("it is not written in the one way that RFC 8032 allows")
    if coordinate in _SMALL_ORDER:
        raise ValueError("it has small order: any party could sign under it")
