"""Canaries on disk, and the rounds that they were planted in."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attacks.audit.canaries import Canaries, Row, anchored, table
from securenb.bayes.parameters import Floats
from securenb.experiments.choices import Choices
from securenb.experiments.run_folder import MANIFEST
from securenb.federation.federation import Federation
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.toml import schema_from_dict, schema_to_dict

COINS = "canaries.json"
"""The coins."""

OPENED = "opened.json"


def write_canaries(folder: Path, planted: Sequence[Canaries]) -> None:
    """A CSV file for each node and round, the same without canaries, and the coins."""
    for index, canaries in enumerate(planted, start=1):
        places = {folder / f"round-{index}": True} | ({folder / "before": False} if index == 1 else {})
        for place, inside in places.items():
            place.mkdir()
            for node in canaries.nodes:
                held = canaries.held(node, planted=inside)
                table(canaries.schema, held).to_csv(place / f"{node}.csv", index=False)
    rounds = [
        {
            "codes": canaries.records.codes.tolist(),
            "labels": canaries.records.labels.tolist(),
            "at": canaries.at,
            "inside": canaries.inside.tolist(),
            "anchor": [canaries.anchor.codes.tolist(), canaries.anchor.labels.tolist()],
        }
        for canaries in planted
    ]
    content = {"schema": schema_to_dict(planted[0].schema), "rounds": rounds}
    (folder / COINS).write_text(json.dumps(content) + "\n", encoding="utf-8")


def read_canaries(folder: Path) -> list[Canaries]:
    """Inverse of `write_canaries`, one a round; a `ValueError` if the folder holds none."""
    content = _read(folder / COINS)
    try:
        schema = schema_from_dict(content["schema"])
        return [
            Canaries(
                schema,
                _records(found["codes"], found["labels"]),
                tuple(found["at"]),
                np.array(found["inside"], dtype=bool),
                _records(*found["anchor"]),
            )
            for found in content["rounds"]
        ]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder / COINS} is not what `securenb canaries plant` made: {error}") from None


def read_round(canaries: Canaries, run: Path, before: Sequence[Path]) -> tuple[list[Row], float, float]:
    """The rows of a run, the epsilon and the delta that it claims for a record.

    Parameters
    ----------
    run
        A folder with `opened.json` and a manifest.
    before
        Folders of rounds of the same nodes, canaries left out: what others hold is taken from their mean.

    Raises
    ------
    ValueError
        If a file is missing, the run is of another schema or promises no privacy, or other nodes are in a
        row and no round before tells what they hold.
    """
    schema = canaries.schema
    federation = _federation(run, schema)
    rows, earlier = _opened(run, federation), [_opened(path, _federation(path, schema)) for path in before]
    found = []
    for members, sums in rows.items():
        known = [opened[members] for opened in earlier if members in opened]
        noise = _noise(federation, members)
        if known:
            found.append(Row(members, sums, noise * (1 + 1 / len(known)), np.mean(known, axis=0)))
        elif others := set(members) - set(canaries.nodes):
            raise ValueError(
                f"{', '.join(sorted(others))} held records of their own in {run}: "
                "say with --before what they hold, by a round of the same nodes without canaries"
            )
        else:
            found.append(Row(members, sums, noise, anchored(canaries, members)))
    largest = max(
        (
            federation.mechanism.charge(schema, federation.noise.honest(len(members))).add_remove
            for members in rows
        ),
        key=lambda epsilon: float("inf") if epsilon is None else epsilon,
    )
    if largest is None:
        raise ValueError(f"{run} promises no privacy: there is nothing to audit")
    return found, float(largest), federation.mechanism.delta


def _federation(run: Path, schema: Schema) -> Federation:
    scenario = _read(run / MANIFEST)["scenario"]
    choices = {name: scenario[name] for name in Choices.model_fields if name in scenario}
    return Choices.checked(**choices).federation_over(schema)


def _opened(run: Path, federation: Federation) -> dict[tuple[str, ...], Floats]:
    found = {}
    for row in _read(run / OPENED):
        sums = np.array(row["sums"], dtype=np.float64) / federation.mechanism.grid
        if len(sums) != federation.noise.length:
            more = f" and {federation.witnesses} witness cells" if federation.witnesses else ""
            raise ValueError(
                f"{run} opened {len(sums)} numbers, the schema has {federation.schema.length}{more}"
            )
        found[tuple(sorted(row["members"]))] = sums[: federation.schema.length]
    return found


def _noise(federation: Federation, members: Sequence[str]) -> Floats:
    each = federation.noise.variances(len(members))
    return np.tile(each, len(federation.schema.classes))


def _records(codes: list[list[int]], labels: list[int]) -> Records:
    return Records(np.array(codes, dtype=np.int32), np.array(labels, dtype=np.int32))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise ValueError(f"{path} is not JSON") from None
