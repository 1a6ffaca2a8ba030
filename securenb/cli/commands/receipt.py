"""`securenb receipt`: what a run promised and showed, signed; and whether a receipt is its signer's."""

from pathlib import Path
from typing import Annotated

import typer

from protocols.primitives.identity import Identity
from securenb.cli import console
from securenb.deploy.keys import make_identity, read_roster, read_seed
from securenb.report import receipt_verifier
from securenb.report.receipt import RECEIPT, receipt_of, signed
from securenb.report.receipt_verifier import read, told, verified


def command(
    run: Annotated[Path, typer.Argument(help="A run's folder; with --verify, the receipt's file.")],
    key: Annotated[
        Path | None, typer.Option(help="The signer's secret key, such as the coordinator's identity.key.")
    ] = None,
    signer: Annotated[str, typer.Option(help="What the signer is called.")] = "aggregator",
    make_key: Annotated[  # noqa: FBT002 - flags of the command line
        bool, typer.Option("--make-key", help="Make the file of --key first; it must not exist.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="The receipt's file; by default in the run's folder.")
    ] = None,
    verifier: Annotated[
        Path | None,
        typer.Option(help="Also write the verifier there: one file that needs only cryptography."),
    ] = None,
    verify: Annotated[
        str | None, typer.Option(help="The signer's public key, or a roster.toml that has it under --signer.")
    ] = None,
    ml_dsa: Annotated[
        str | None, typer.Option(help="With --verify: SHA-256 of the signer's ML-DSA key.")
    ] = None,
) -> None:
    """Sign a receipt of a run, in the terms of NIST SP 800-226; or verify one."""
    if verify is not None:
        body, post_quantum = verified(read(run), _public(verify, signer), ml_dsa)
        console.say(told(body, post_quantum=post_quantum))
        return
    if key is None:
        raise ValueError("who signs? --key FILE, a secret key; --make-key makes it")
    body, file = receipt_of(run), out or run / RECEIPT
    made = [file] if verifier is None else [file, verifier]
    if there := [path for path in ([*made, key] if make_key else made) if path.exists()]:
        raise ValueError(f"{there[0]} exists, and will not be replaced; choose another file")
    if make_key:
        make_identity(key)
    seed = read_seed(key)
    data = signed(body, signer, seed)
    whole, post_quantum = verified(data, Identity(seed).public.hex())
    file.write_bytes(data)
    if verifier is not None:
        verifier.write_bytes(Path(receipt_verifier.__file__).read_bytes())
    console.say(told(whole, post_quantum=post_quantum))
    console.say(f"written to {file}")


def _public(key: str, signer: str) -> str:
    """The key, or what a roster says is the signer's."""
    if not key.endswith(".toml"):
        return key
    roster = read_roster(Path(key))
    if signer not in roster:
        raise ValueError(f"{key} has no key of {signer}: it knows {', '.join(roster)}; --signer names one")
    return roster[signer].hex()
