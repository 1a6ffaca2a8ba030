"""`securenb compare`: the same noised round under several protocols, side by side."""

from pathlib import Path
from typing import Annotated

import typer

from protocols.protocol import PROTOCOLS
from protocols.spec import listed
from securenb.cli import console
from securenb.cli.options import (
    Choose,
    Json,
    Out,
    Overwrite,
    WithReport,
    report_page,
    with_scenario,
    write_report,
)
from securenb.data.dataset import Dataset
from securenb.experiments.compare import ALL, Compared, Comparison, compare
from securenb.experiments.progress import rows, steps
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.scenario import Scenario
from securenb.experiments.tables import write_table
from securenb.privacy.sensitivity import ADJACENCIES
from securenb.privacy.witness_record import ending
from securenb.privacy.witness_record import report as report_witnesses
from securenb.report.record import write_rounds


@with_scenario
def command(
    choose: Choose,
    protocols: Annotated[
        str, typer.Option(help="Protocols, separated by commas, as `secagg,verified(helpers=2)`; or `all`.")
    ] = "plain,masking,paillier",
    drop: Annotated[float, typer.Option(help="The share of nodes that fall silent during the round.")] = 0.0,
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> int:
    """Run the same noised round under each protocol: same model, bytes, time, what the aggregator learned."""
    page = report_page(out, wanted=report)
    names = listed(protocols)
    everything = names == [ALL]
    scenario = choose(protocol="plain" if everything else names[0] if names else "")
    with rows() as read:
        data = scenario.load(read)
    with steps(len(PROTOCOLS) if everything else len(names)) as step:
        if out is None:
            compared = compare(scenario, data, names, drop, progress=step)
        else:
            with run_folder(out, overwrite=overwrite) as folder:
                compared = compare(scenario, data, names, drop, progress=step)
                write(folder, scenario, data, compared)
    write_report(page)
    code = ending(round_.witnesses for round_ in compared.rounds.values())
    if json:
        console.show_json(compared.table().to_dict(orient="records"))
        return code
    show(scenario, compared)
    if out is not None:
        console.say(f"written to {out}: results.csv, manifest.json")
    return code


def write(folder: Path, scenario: Scenario, data: Dataset, compared: Compared) -> None:
    """Table and manifest of a comparison."""
    write_table(compared.table(), folder / "results.csv")
    write_rounds(folder, {name: (round_, PROTOCOLS.build(name)) for name, round_ in compared.rounds.items()})
    write_manifest(
        folder,
        scenario,
        data=data.digest,
        schema=data.schema.digest.hex(),
        protocols=[line.protocol for line in compared.lines],
        digests={name: round_.digests() for name, round_ in compared.rounds.items()},
    )


def show(scenario: Scenario, compared: Compared) -> None:
    """The comparison as one table, and what it cost in privacy."""
    title = f"{scenario.dataset}, {compared.nodes} nodes, epsilon {scenario.epsilon}, rule {scenario.rule}"
    columns = [
        "protocol",
        "accuracy",
        "balanced",
        "95 % over records",
        "sums exact",
        "the aggregator learned",
    ]
    console.show_table(title, columns, [_result(line) for line in compared.lines])
    for line in compared.lines:
        if line.failure:
            console.say(f"{line.protocol} opened nothing: {line.failure}\n")
    columns = ["protocol", "rounds", "messages", "node\nturns", "node\nsent\nkB", "node\nheard\nkB"]
    columns += [f"{role}\nms" for role in ("node", "aggr.", "trustee")]
    ran = [line for line in compared.lines if line.rounds]
    console.show_table("what that took, with processor time in ms", columns, [_cost(line) for line in ran])
    console.say("rounds: messages that waited for one another; turns: how often a node had to speak\n")
    columns = ["protocol", "who must be trusted", "drop-outs", "a malicious aggregator"]
    promises = [
        [line.protocol, line.trust, line.dropouts, line.malicious_aggregator] for line in compared.lines
    ]
    console.show_table("what each protocol promises", columns, promises, prose=True)
    for round_ in list(compared.rounds.values())[:1]:
        console.say("each opened row costs a record")
        console.say("\n".join(f"  {round_.ledger.total(kind)}" for kind in ADJACENCIES))
        console.say(f"any {compared.among} honest shares of a group make a dose of noise")
        if len(compared.rounds) > 1:
            found = [
                (round_.opened.members, round_.digests()["model"]) for round_ in compared.rounds.values()
            ]
            members = len({summed for summed, _ in found})
            who = "all models are" if members == 1 else "models that sum the same nodes are"
            console.say(f"{who} identical" if len(set(found)) == members else "THE MODELS DIFFER")
    for name, round_ in compared.rounds.items():
        if round_.witnesses is not None:
            console.say(f"{name}: {report_witnesses(round_.witnesses)}")
        if any(release.seen == "vector" for release in round_.ledger.releases):
            reader = (
                "the aggregator reads"
                if PROTOCOLS.build(name).claims.sees == "vectors"
                else "other nodes read"
            )
            console.say(f"under {name} {reader} every node's vector, with one share of a dose:")
            console.say("\n".join(f"  {round_.ledger.total(kind, 'vector')}" for kind in ADJACENCIES))


def _result(line: Comparison) -> list[str]:
    if line.failure:
        return [line.protocol, "-", "-", "-", "-", line.learned]
    exact = "yes" if line.identical else f"off by {line.relative_error:.1e}"
    ends = f"{line.balanced_accuracy_low:.4f} to {line.balanced_accuracy_high:.4f}"
    return [line.protocol, f"{line.accuracy:.4f}", f"{line.balanced_accuracy:.4f}", ends, exact, line.learned]


def _cost(line: Comparison) -> list[str]:
    return [
        line.protocol,
        f"{line.rounds:,}",
        f"{line.messages:,}",
        f"{line.turns:,}",
        console.figure(line.sent / 1e3),
        console.figure(line.received / 1e3),
        console.figure(1e3 * line.node_cpu),
        console.figure(1e3 * line.aggregator_cpu),
        console.figure(1e3 * line.trustee_cpu) if line.trustee_cpu else "-",
    ]
