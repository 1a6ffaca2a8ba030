"""`securenb plan`: what to run, what it will be worth, what it costs, and what came next."""

import typer

from attacks.planning.answer import Answer, answer, spelled
from attacks.planning.wishes import Wishes
from securenb.cli import console
from securenb.cli.options import Json, with_choices
from securenb.experiments.progress import parts


@with_choices(Wishes)
def command(wishes: dict[str, object], json: Json = False) -> None:  # noqa: FBT002 - flags of the command line
    """Recommend protocol, rule, groups, mechanism and numbers for a round; private records are never read."""
    with parts() as part:
        found = answer(Wishes.checked(**wishes), lambda what, at, of: part(what, at / max(of, 1)))
    if json:
        console.show_json(found.to_dict())
        return
    _show(found)


def _show(found: Answer) -> None:
    wishes, carrier, claims = found.wishes, found.carrier, found.claims
    typer.echo(f"{wishes.dataset}: {wishes.nodes} nodes, epsilon {wishes.epsilon}, {wishes.server} server")
    said = [f"{wishes.liars} nodes may lie", f"{wishes.colluding} may work with the server"]
    typer.echo(f"{', '.join(said)}, {wishes.silent:.0%} may fall silent")
    lines = [["run", spelled(found.design)], ["over", carrier.spec]]
    if found.forecast is not None and found.field is not None:
        low, high = found.forecast.interval
        under = "" if found.forecast.worst == "none" else f" under {found.forecast.worst}"
        rounds = f"{len(found.forecast.trials)} rounds over public records"
        lines.append(
            ["balanced accuracy", f"{found.forecast.mean:.3f}, a round 95 % in {low:.3f} to {high:.3f}"]
        )
        lines.append(["", f"foretold from {rounds}{under}"])
        alone = found.field.alone
        enough = ": no round is worth its epsilon" if alone >= found.forecast.mean else ""
        lines.append(["public records alone", f"{alone:.3f}, without any node{enough}"])
    else:
        lines.append(["balanced accuracy", "not foretold: no public records (--public FILE)"])
    seen = found.legible
    lines.append(
        ["noise", f"standard deviation {seen.deviation:.1f} records of {seen.records:,.0f} in a row"]
    )
    lines.append(["", f"levels that {seen.smallest:.2%} of a class have stand out from it"])
    if seen.readable == seen.readable:
        lines.append(["", f"{seen.readable:.0%} of all levels, were they alike frequent"])
    lines.append(["epsilon", f"{wishes.epsilon} a row for a record (add/remove), twice for replacing one"])
    lines.append(["a node sends", f"{carrier.sent:,.0f} B, receives {carrier.received:,.0f} B"])
    projected = ", projected from runs with 10 and 40 nodes" if carrier.projected else ""
    chain = f"{carrier.messages} messages in a chain, {wishes.latency:g} ms each"
    lines.append(["a round takes", f"{carrier.seconds:.1f} s ({chain}{projected})"])
    lines.append(["server sees", claims.sees])
    lines.append(["a malicious server gets", claims.malicious_aggregator])
    lines.append(["trust", claims.trust])
    lines.append(["drop-outs", claims.dropouts])
    for name, why in found.lost.items():
        lines.append(["next", f"{name}: {why}"])
    for name, why in found.refused.items():
        lines.append(["cannot", f"{name}: {why}"])
    width = max(len(line[0]) for line in lines)
    for name, text in lines:
        typer.echo(f"  {name:<{width}}  {text}")
    typer.echo(found.command)
    if found.attack is not None:
        typer.echo(found.attack)
