"""Certificates, node keys and identities: made with `cryptography`, kept in files of their owners."""

import ipaddress
import os
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from protocols.party import PartyId
from protocols.primitives.identity import IDENTITY_SEED_BYTES, Identity, Roster

VALID = timedelta(days=730)


def write_secret(path: Path, content: bytes) -> None:
    """A file that only its owner can read; refuses to replace one."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def make_identity(path: Path) -> Identity:
    """A fresh signing key, kept in `path`."""
    seed = os.urandom(IDENTITY_SEED_BYTES)
    write_secret(path, seed.hex().encode() + b"\n")
    return Identity(seed)


def read_seed(path: Path) -> bytes:
    """The 32 secret bytes of a signing key in a file; a `ValueError` that names it otherwise."""
    try:
        seed = bytes.fromhex(path.read_text(encoding="ascii"))
        Identity(seed)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: holds no identity key ({type(error).__name__})") from None
    return seed


def read_identity(path: Path) -> Identity:
    """The signing key in a file; a `ValueError` as of `read_seed`."""
    return Identity(read_seed(path))


def write_roster(path: Path, keys: Mapping[PartyId, bytes]) -> None:
    """Public identity keys as TOML."""
    lines = ["# Public identity keys. Compare this file with the other parties', over the telephone."]
    lines += [f'"{party}" = "{key.hex()}"' for party, key in keys.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_roster(path: Path) -> Roster:
    """The roster in a TOML file; a `ValueError` that names it otherwise."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return Roster({party: bytes.fromhex(key) for party, key in entries.items()})
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"{path}: is no roster ({error})") from None


def make_node_key(private: Path) -> str:
    """A key with which a node authenticates its connection to Flower's SuperLink (ECDSA, P-384).

    Returns
    -------
    str
        Its public half, in OpenSSH's format.
    """
    key = ec.generate_private_key(ec.SECP384R1())
    write_secret(private, key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")


def replace_certificates(folder: Path, host: str) -> None:
    """What `make_certificates` makes, in place of what is there; all files are whole before one is moved."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        make_certificates(Path(made), host)
        for name in ("server.key", "server.pem", "ca.pem"):
            (Path(made) / name).replace(folder / name)


def make_certificates(folder: Path, host: str, made: datetime | None = None) -> None:
    """`ca.pem`, `server.pem` and `server.key` for a coordinator at `host`, valid for 730 days.

    The authority's own key is thrown away: it signs this one certificate and never another.

    Parameters
    ----------
    made
        When they begin to be valid; five minutes ago by default, for clocks differ.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    server_key = ec.generate_private_key(ec.SECP256R1())
    authority = _name("securenb deployment")
    now = datetime.now(UTC) - timedelta(minutes=5) if made is None else made
    base = x509.CertificateBuilder().not_valid_before(now).not_valid_after(now + VALID).issuer_name(authority)
    ca = (
        base.subject_name(authority)
        .public_key(authority_key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(sign_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, SHA256())
    )
    names = {host: None, "localhost": None, "127.0.0.1": None}
    server = (
        base.subject_name(_name(host))
        .public_key(server_key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(sign_certificates=False), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(authority_key, SHA256())
    )
    (folder / "ca.pem").write_bytes(ca.public_bytes(Encoding.PEM))
    (folder / "server.pem").write_bytes(server.public_bytes(Encoding.PEM))
    key = server_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_secret(folder / "server.key", key)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common[:64])])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        encipher_only=False,
        decipher_only=False,
    )
