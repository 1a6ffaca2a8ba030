"""X-Wing: a key encapsulation that is safe while either X25519 or ML-KEM-768 is.

Source: draft-connolly-cfrg-xwing-kem; Barbosa et al. 2024, "X-Wing: The Hybrid KEM You've Been Looking
For"; FIPS 203 and RFC 7748 through `cryptography`. Deviation: a public key whose X25519 half has small order
is refused, as everywhere here.

Records are sensitive for decades: who keeps today's messages may read them with tomorrow's quantum
computer, unless a key that seals shares comes from a lattice as well. The lattice alone is young, hence both.
"""

import hashlib
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey

from protocols.canonical import digest
from protocols.primitives.key_agreement import KEY_BYTES, KeyPair, check_public, exchange, key_pair
from protocols.tape import UNTAPED, Tape

SEED_BYTES = 32
_LATTICE_SEED_BYTES, _LATTICE_KEY_BYTES, _LATTICE_CIPHERTEXT_BYTES = 64, 1184, 1088
PUBLIC_BYTES = _LATTICE_KEY_BYTES + KEY_BYTES
CIPHERTEXT_BYTES = _LATTICE_CIPHERTEXT_BYTES + KEY_BYTES
SECRET_BYTES = 32
_LABEL = bytes.fromhex("5c2e2f2f5e5c")  # what looks like an X-wing fighter


@dataclass(frozen=True, slots=True)
class XWingKey:
    """A key pair; both halves follow from a seed.

    Parameters
    ----------
    seed
        32 uniform bytes, used for this key only.
    """

    seed: bytes = field(repr=False)
    _lattice: MLKEM768PrivateKey = field(init=False, repr=False, compare=False)
    _curve: KeyPair = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, got {len(self.seed)}")
        expanded = hashlib.shake_256(self.seed).digest(_LATTICE_SEED_BYTES + KEY_BYTES)
        lattice = MLKEM768PrivateKey.from_seed_bytes(expanded[:_LATTICE_SEED_BYTES])
        object.__setattr__(self, "_lattice", lattice)
        object.__setattr__(self, "_curve", key_pair(expanded[_LATTICE_SEED_BYTES:]))

    @property
    def public(self) -> bytes:
        """What others encapsulate to, 1,216 bytes."""
        return self._lattice.public_key().public_bytes_raw() + self._curve.public

    def decapsulate(self, ciphertext: bytes) -> bytes:
        """The 32-byte secret that the ciphertext was made with.

        Of a changed ciphertext it is another secret, and no error: what is sealed under it does not open.

        Raises
        ------
        ValueError
            If it has another length, or its X25519 half is no usable key.
        """
        if len(ciphertext) != CIPHERTEXT_BYTES:
            raise ValueError(f"a ciphertext has {CIPHERTEXT_BYTES} bytes, got {len(ciphertext)}")
        lattice, curve = ciphertext[:_LATTICE_CIPHERTEXT_BYTES], ciphertext[_LATTICE_CIPHERTEXT_BYTES:]
        shared = self._lattice.decapsulate(lattice)
        return _combined(shared, exchange(self._curve, curve), curve, self._curve.public)


def check_xwing(public: bytes) -> None:
    """Raise `ValueError` if `public` is no usable X-Wing key."""
    _read(public)


def encapsulate(public: bytes, ephemeral: bytes, tape: Tape = UNTAPED) -> tuple[bytes, bytes]:
    """A ciphertext of 1,120 bytes for the owner of `public`, and the 32-byte secret in it.

    Parameters
    ----------
    ephemeral
        32 uniform bytes, used once: the X25519 half. The lattice's half is drawn from the operating
        system, as `cryptography` takes no randomness for it.
    tape
        Keeps the lattice's half for a party that is replayed.

    Raises
    ------
    ValueError
        If `public` is no usable key.
    """
    lattice, curve = _read(public)
    mine = key_pair(ephemeral)

    def drawn() -> tuple[bytes, bytes]:
        shared, sealed = lattice.encapsulate()
        return sealed, shared

    sealed, shared = tape.draw(digest("securenb encapsulation", public, mine.public), drawn)
    return sealed + mine.public, _combined(shared, exchange(mine, curve), mine.public, curve)


def _read(public: bytes) -> tuple[MLKEM768PublicKey, bytes]:
    if len(public) != PUBLIC_BYTES:
        raise ValueError(f"an X-Wing key has {PUBLIC_BYTES} bytes, got {len(public)}")
    lattice, curve = public[:_LATTICE_KEY_BYTES], public[_LATTICE_KEY_BYTES:]
    check_public(curve)
    return MLKEM768PublicKey.from_public_bytes(lattice), curve


def _combined(lattice: bytes, curve: bytes, ephemeral: bytes, public: bytes) -> bytes:
    return hashlib.sha3_256(lattice + curve + ephemeral + public + _LABEL).digest()
