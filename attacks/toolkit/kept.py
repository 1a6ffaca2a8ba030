"""Attacks that were found, as a file: what was sent, against what, and how it was found."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from protocols.ring import Integers
from securenb.robust.preaggregation import PREAGGREGATIONS
from securenb.robust.rule import RULES, Rule

FORMAT = "securenb attacks found, 1"


@dataclass(frozen=True, eq=False)
class Kept:
    """One attack that was found.

    Attributes
    ----------
    rule, malicious, nodes, group_size, cap, mechanism, inside
        What it was found against.
    score
        Balanced accuracy under it on the deals that it was found on, judged on the malicious nodes' records.
    began
        The poison that the search began with.
    evaluations, seconds, seed
        How long was searched, and the seed: as many evaluations find the same again.
    tables
        What is sent, the nodes in turn, shape (k, C, width), int64.
    """

    rule: str
    malicious: int
    nodes: int
    group_size: int
    cap: int
    mechanism: str
    inside: bool
    score: float
    began: str
    evaluations: int
    seconds: float
    seed: int
    tables: Integers


def label_of(rule: Rule) -> str:
    """The rule's name, after the names of what comes before it."""
    before = getattr(rule, "before", ())
    return "+".join([*(PREAGGREGATIONS.name_of(step) for step in before), RULES.name_of(rule)])


def keep(path: Path, schema: bytes, found: Sequence[Kept]) -> None:
    """Write attacks on a schema, given its digest, to a file."""
    lines = [json.dumps(asdict(each) | {"tables": each.tables.tolist()}, sort_keys=True) for each in found]
    head = json.dumps({"format": FORMAT, "schema": schema.hex()})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


@lru_cache(maxsize=8)
def kept_in(path: str) -> tuple[str, tuple[Kept, ...]]:
    """The digest of the schema, hexadecimal, and the attacks in a file.

    Raises
    ------
    ValueError
        If it cannot be read, or is no such file.
    """
    try:
        head, *lines = Path(path).read_text(encoding="utf-8").splitlines()
        said = json.loads(head)
        entries = [json.loads(line) for line in lines]
        known = said.get("format") == FORMAT
        found = (
            ()
            if not known
            else tuple(Kept(**e | {"tables": np.array(e["tables"], dtype=np.int64)}) for e in entries)
        )
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"{path} holds no attacks that --search-seconds kept: {error}") from None
    if not found:
        raise ValueError(f"{path} holds no attacks that --search-seconds kept")
    return said["schema"], found
