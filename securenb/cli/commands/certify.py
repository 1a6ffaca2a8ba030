"""`securenb certify`: one round, and how many malicious nodes each of its predictions withstands."""

from typing import Annotated

import numpy as np
import pandas as pd
import typer

from securenb.certificate import Certificates, certify, check_certifiable
from securenb.cli import console
from securenb.cli.options import Choose, Json, Out, Overwrite, with_scenario
from securenb.dataset import Dataset
from securenb.rule import Rows
from securenb.run_folder import run_folder, write_manifest
from securenb.scenario import Scenario
from securenb.statistics import Statistics


@with_scenario
def command(
    choose: Choose,
    protocol: Annotated[
        str, typer.Option(help="The secure sum; only `verified` enforces the cap.")
    ] = "verified",
    malicious: Annotated[
        str, typer.Option(help="Numbers of malicious nodes, separated by commas.")
    ] = "1,3,5",
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    json: Json = False,  # noqa: FBT002
) -> None:
    """Certify predictions: the share that stays right whatever so many malicious nodes add."""
    scenario = choose(protocol=protocol)
    counts = _numbers(malicious)
    if scenario.record_cap is None:
        raise ValueError("a certificate needs --record-cap: how many records a malicious node may add")
    if scenario.rule != "sum":
        raise ValueError(f"certificates are for the rule sum, not {scenario.rule}")
    with console.rows() as read:
        data = scenario.load(read)
    check_certifiable(data.schema)
    if out is None:
        table, found = _certified(scenario, data, counts)
    else:
        with run_folder(out, overwrite=overwrite) as folder:
            table, found = _certified(scenario, data, counts)
            table.to_csv(folder / "results.csv", index=False)
            write_manifest(folder, scenario, data=data.digest)
    if json:
        console.show_json(table.to_dict(orient="records"))
        return
    title = (
        f"{scenario.dataset}: {len(data.test):,} predictions, {scenario.record_cap} records a malicious node"
    )
    lines = [[f"{row.malicious:,}", f"{row.records:,}", f"{row.accuracy:.4f}"] for row in table.itertuples()]
    console.show_table(title, ["malicious nodes", "records they add", "certified accuracy"], lines)
    console.say("exact" if found.exact else "some noisy counts are negative: true certificates may be larger")
    if protocol != "verified":
        console.say(f"{protocol} does not enforce the cap: this holds only if every node keeps to it")
    if out is not None:
        console.say(f"written to {out}: results.csv, manifest.json")


def _certified(scenario: Scenario, data: Dataset, counts: list[int]) -> tuple[pd.DataFrame, Certificates]:
    """One line for no malicious node and for each number of them."""
    assert scenario.record_cap is not None
    federation = scenario.federation(data)
    round_ = federation.run(scenario.deal(data))
    rows = Rows.of(data.schema, round_.opened, federation.mechanism.grid)
    statistics = Statistics(data.schema, rows.tables.sum(axis=0))
    limit = max(counts) * scenario.record_cap
    found = certify(statistics, data.test.codes, limit, federation.rule.smoothing)
    assert np.array_equal(found.predicted, round_.model.predict_codes(data.test.codes))
    numbers = sorted({0, *counts})
    table = pd.DataFrame(
        {
            "malicious": numbers,
            "records": [number * scenario.record_cap for number in numbers],
            "accuracy": found.accuracy(data.test.labels, scenario.record_cap, numbers),
        }
    )
    return table, found


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--malicious is numbers separated by commas, got {text!r}") from None
    if min(numbers) < 0:
        raise ValueError(f"--malicious cannot be negative, got {text}")
    return numbers
