"""The answer: what to run, what it will be worth and cost, what came next, and why that lost."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from attacks.planning.carrier import Carrier, carriers
from attacks.planning.design import Design, designs, survivors
from attacks.planning.forecast import Field, Forecast, again, foretold
from attacks.planning.noise import Legible, legible
from attacks.planning.population import Population
from attacks.planning.wishes import Wishes
from protocols.protocol import PROTOCOLS, Claims

ALIKE = 0.005
"""Balanced accuracies that differ by less do not decide."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Answer:
    """What is recommended, and on what grounds.

    Attributes
    ----------
    wishes
        The question.
    design, carrier
        The recommendation.
    cap
        The most records that a node proves to hold, where it proves any.
    forecast
        Its balanced accuracy, on deals that it was not chosen on; `None` where there are no public records.
    legible
        What its noise leaves to be read.
    field
        All designs; `None` where there are no public records.
    lost
        What came next, and why it lost: another secure sum, another design.
    refused
        Secure sums that cannot carry the design, and why.
    """

    wishes: Wishes
    design: Design
    carrier: Carrier
    cap: int
    forecast: Forecast | None
    legible: Legible
    field: Field | None
    lost: Mapping[str, str]
    refused: Mapping[str, str]

    @property
    def claims(self) -> Claims:
        """What the secure sum says of itself."""
        return PROTOCOLS.build(self.carrier.spec).claims

    @property
    def command(self) -> str:
        """The command that runs it once."""
        wishes, design = self.wishes, self.design
        data = wishes.dataset if wishes.schema_path is None else f"FILE --schema {wishes.dataset}"
        said = [f"securenb train {data}", f"--nodes {wishes.nodes}", f"--protocol '{self.carrier.spec}'"]
        said += [f"--epsilon {wishes.epsilon}", f"--mechanism {design.mechanism}"]
        said += [f"--delta {wishes.delta:g}"] if design.delta else []
        said += [f"--rule '{design.rule}'"] if design.rule != "sum" else []
        said += [f"--group-size {design.group_size}"] if design.group_size else []
        said += [f"--numeric {design.numeric}"] if design.numeric != "gaussian" else []
        said += [f"--threshold {self.carrier.threshold}"]
        if design.inputs == "verified":
            said += [f"--record-cap {self.cap}"] if not design.rule.startswith("staircase") else []
        else:
            said += [f"--colluding {wishes.colluding}"]
        return " ".join(said)

    @property
    def attack(self) -> str | None:
        """The command that measures it under the attacks that it was foretold under; `None` without any."""
        wishes, design = self.wishes, self.design
        if not wishes.liars or wishes.schema_path is not None:
            return None
        said = [f"securenb attack {wishes.dataset}", f"--nodes {wishes.nodes}", f"--epsilon {wishes.epsilon}"]
        said += [f"--mechanism {design.mechanism}", f"--rules '{design.rule}'"]
        said += [f"--delta {wishes.delta:g}"] if design.delta else []
        said += [f"--attacks {','.join(design.attacks)}", f"--malicious {wishes.malicious:g}"]
        said += [f"--inputs {design.inputs}", f"--group-size {design.group_size or 'all'}"]
        said += [f"--numeric {design.numeric}"] if design.numeric != "gaussian" else []
        return " ".join([*said, "--out runs/planned"])

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain numbers and texts."""
        forecast, legible_ = self.forecast, self.legible
        found: dict[str, Any] = {
            "wishes": self.wishes.model_dump(),
            "protocol": self.carrier.spec,
            "threshold": self.carrier.threshold,
            "rule": self.design.rule,
            "group_size": self.design.group_size or "all",
            "mechanism": self.design.mechanism,
            "numeric": self.design.numeric,
            "inputs": self.design.inputs,
            "sent": round(self.carrier.sent),
            "received": round(self.carrier.received),
            "seconds": self.carrier.seconds,
            "messages": self.carrier.messages,
            "noise_deviation": legible_.deviation,
            "smallest_share": legible_.smallest,
            "readable_levels": legible_.readable,
            "lost": dict(self.lost),
            "refused": dict(self.refused),
            "command": self.command,
            "attack": self.attack,
        }
        if forecast is not None and self.field is not None:
            low, high = forecast.interval
            found |= {
                "balanced_accuracy": forecast.mean,
                "low": low,
                "high": high,
                "worst_attack": forecast.worst,
            }
            found |= {"trials": len(forecast.trials), "public_records_alone": self.field.alone}
        return found


def answer(wishes: Wishes, progress: Progress = lambda *_: None) -> Answer:
    """What to run.

    Designs (a rule, groups, a mechanism, the shape of numbers, proven inputs or not) are compared by the
    balanced accuracy that rounds over public records have, under the strongest attacks known against each if
    nodes may lie; without public records by what their noise leaves to be read. Of secure sums those are
    left that keep vectors from this server with so many nodes on its side, and outlive so many silent ones;
    the one is taken that needs the fewest further parties, then the least time.

    Parameters
    ----------
    progress
        Told what is done, which of how many.

    Raises
    ------
    ValueError
        If nothing can answer the wishes, with the reason.
    """
    population = Population(wishes)
    population.schema("gaussian")  # what cannot be read is said before anything else
    candidates = list(designs(population))
    field = foretold(population, candidates, progress) if population.foretold else None
    ranked = _ranked(population, candidates, field)
    cap = math.ceil(population.records)
    carried = {}
    for at, design in enumerate(ranked):
        progress("measuring secure sums", at, len(ranked))
        carried[design] = carriers(design, population.schema(design.numeric), wishes, cap)
    able = [design for design in ranked if carried[design][0]]
    if not able:
        first = next(iter(carried[ranked[0]][2].items()))
        raise ValueError(f"no secure sum can carry {ranked[0].rule}: {first[0]}: {first[1]}")
    scores = _scores(population, able, field)
    near = [design for design in able if scores[design] >= scores[able[0]] - ALIKE]
    # of designs that are worth the same, the cheapest
    chosen = min(near, key=lambda design: carried[design][0][0].price)
    found, others, refused = carried[chosen]
    forecast = next((each for each in field.best if each.design == chosen), None) if field else None
    if forecast is not None:
        progress("foretelling on other deals", 0, 1)
        forecast = again(population, forecast)
    lost = _lost(chosen, found, others, able, scores, field)
    seen = legible(chosen, population.schema(chosen.numeric), wishes, population.records)
    return Answer(wishes, chosen, found[0], cap, forecast, seen, field, lost, refused)


def _ranked(population: Population, candidates: list[Design], field: Field | None) -> list[Design]:
    if field is not None:
        return [forecast.design for forecast in field.best]
    scores = _scores(population, candidates, None)
    best = sorted(scores, key=lambda design: -scores[design])
    if not best:
        wishes = population.wishes
        there = survivors(wishes.nodes, wishes)
        raise ValueError(
            f"of {wishes.nodes} nodes {there} are sure to be there, and {wishes.colluding} collude: no "
            "noise can be counted on"
        )
    return best


def _scores(population: Population, among: list[Design], field: Field | None) -> dict[Design, float]:
    """Foretold accuracy; without public records what is not lost in noise, proven inputs where nodes lie."""
    if field is not None:
        return {each.design: each.mean for each in field.best if each.design in among}
    wishes, found = population.wishes, {}
    for design in among:
        # without records nothing tells how rules for rows fare: proven inputs have a bound of their own
        if wishes.liars and design.inputs != "verified":
            continue
        try:
            seen = legible(design, population.schema(design.numeric), wishes, population.records)
        except ValueError:
            continue
        found[design] = -seen.smallest
    return found


def _lost(
    chosen: Design,
    found: list[Carrier],
    others: Mapping[str, int],
    able: list[Design],
    scores: Mapping[Design, float],
    field: Field | None,
) -> dict[str, str]:
    """What came next, and why it lost."""
    lost = {}
    if len(found) > 1:
        lost[found[1].spec] = _dearer(found[0], found[1])
    elif others:
        spec = min(others, key=lambda each: others[each])
        more = others[spec] - found[0].trustees
        lost[spec] = f"needs {more} more part{'y' if more == 1 else 'ies'} to be found and trusted"
    runners = [design for design in able if design != chosen]
    if runners:
        behind = scores[chosen] - scores[runners[0]]
        if field is None:
            times = scores[runners[0]] / min(scores[chosen], -1e-12)
            why = f"its noise hides shares {times:.2g} times as large"
        elif behind > 0:
            why = f"{100 * behind:.1f} points less"
        else:
            why = f"dearer, for {-100 * behind:.1f} points"
        lost[spelled(runners[0])] = why
    elif field is not None and field.behind:
        design = max(field.behind, key=lambda each: field.behind[each])
        at_most = 100 * (scores[chosen] - field.behind[design])
        lost[spelled(design)] = f"at least {at_most:.1f} points less in the first rounds"
    return lost


def _dearer(best: Carrier, other: Carrier) -> str:
    if other.price == best.price:
        return "costs the same"
    if other.price[1] > best.price[1]:
        return f"takes {other.seconds / best.seconds:.1f} times as long"
    return f"takes {(other.sent + other.received) / max(best.sent + best.received, 1.0):.1f} times the bytes"


def spelled(design: Design) -> str:
    """A design in a line."""
    groups = "one sum" if design.group_size is None else f"groups of {design.group_size}"
    proven = ", proven inputs" if design.inputs == "verified" else ""
    return f"{design.rule}, {groups}{proven}, {design.mechanism}, numbers as {design.numeric}"
