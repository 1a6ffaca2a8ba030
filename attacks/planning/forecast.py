"""What a design will be worth, from rounds over public records, with an interval for one round to come."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from attacks.planning.design import Design
from attacks.planning.population import Population, Trial
from attacks.planning.wishes import Wishes
from attacks.poison import choose_poison
from attacks.sweeps.poisoning import attacked, informed, scores
from protocols.errors import Abort
from securenb.robust.rule import Rows
from securenb.robust.rules.public_records import PublicRecords

LEVEL = 0.95
SCREENED = 3
"""Rounds in which designs are compared before most of them are left out."""
NEAR = 0.03
"""Designs that are no further from the best go on."""
MOST = 4
"""Designs that go on."""
UNATTACKED = "none"

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Forecast:
    """Balanced accuracy of a design.

    Attributes
    ----------
    by_attack
        Scores of the trials under each attack, paired; under `none` if no node may lie.
    judged_on
        Public records that a trial was judged on; their error is not among trials on the same records.
    fresh
        Whether the round to come is judged on other records than these.
    """

    design: Design
    by_attack: Mapping[str, tuple[float, ...]]
    judged_on: int
    fresh: bool

    @cached_property
    def worst(self) -> str:
        """The attack with the least mean."""
        return min(self.by_attack, key=lambda name: float(np.mean(self.by_attack[name])))

    @property
    def trials(self) -> Scores:
        """Scores under the worst attack."""
        return np.array(self.by_attack[self.worst])

    @property
    def mean(self) -> float:
        """Under the worst attack."""
        return float(self.trials.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Where one round to come lies: a 95 % prediction interval over deals and noise.

        Where it is judged on other records, with the error of estimating the score on so few.
        """
        count = len(self.trials)
        variance = float(self.trials.var(ddof=1)) * (1 + 1 / count)
        if self.fresh:
            variance += self.mean * (1 - self.mean) / self.judged_on
        half = float(stats.t.ppf((1 + LEVEL) / 2, count - 1)) * variance**0.5
        return max(0.0, self.mean - half), min(1.0, self.mean + half)


@dataclass(frozen=True)
class Field:
    """All designs: those that were foretold to the end, best first, and why others were not.

    Attributes
    ----------
    best
        At least one.
    behind
        Mean scores of those that were left out after few rounds.
    refused
        Why a design cannot be run.
    alone
        What the public records are worth without any federation.
    """

    best: tuple[Forecast, ...]
    behind: Mapping[Design, float]
    refused: Mapping[Design, str]
    alone: float


def foretold(
    population: Population, candidates: Sequence[Design], progress: Callable[[str, int, int], None]
) -> Field:
    """Rounds of the product over public records, of all designs and then of the best.

    Parameters
    ----------
    progress
        Told what is done, which of how many.

    Raises
    ------
    ValueError
        If no design can be run, with the reason of the first.
    """
    wishes = population.wishes
    trials = {
        numeric: list(population.trials(numeric, wishes.trials))
        for numeric in dict.fromkeys(design.numeric for design in candidates)
    }
    attacks = {each: each.attacks if wishes.liars else (UNATTACKED,) for each in candidates}
    few = min(SCREENED, wishes.trials)
    found: dict[Design, dict[str, list[float]]] = {}
    refused: dict[Design, str] = {}
    for at, design in enumerate(candidates):
        progress("comparing designs", at, len(candidates))
        try:
            found[design] = _rounds(design, trials[design.numeric][:few], wishes, attacks[design][:1])
        except (ValueError, Abort) as error:
            refused[design] = str(error)
    if not found:
        raise ValueError(next(iter(refused.values())))
    # what a quick attack leaves bounds what strong ones do: designs below the best need no strong one
    first: dict[Design, float] = {}
    for at, design in enumerate(sorted(found, key=lambda design: -_least(found[design]))):
        progress("attacking designs", at, len(found))
        if not first or _least(found[design]) >= max(first.values()) - NEAR:
            found[design] |= _rounds(design, trials[design.numeric][:few], wishes, attacks[design][1:])
            first[design] = _least(found[design])
    order = sorted(first, key=lambda design: -first[design])
    kept = [design for design in order[:MOST] if first[design] >= first[order[0]] - NEAR]
    for at, design in enumerate(kept):
        progress("foretelling the best", at, len(kept))
        more = _rounds(design, trials[design.numeric][few:], wishes, attacks[design])
        found[design] = {name: found[design][name] + more[name] for name in more}
    fresh = wishes.schema_path is not None
    judged = len(next(iter(trials.values()))[0].arena.data.test)
    forecasts = [
        Forecast(each, {name: tuple(values) for name, values in found[each].items()}, judged, fresh)
        for each in kept
    ]
    best = tuple(sorted(forecasts, key=lambda each: -each.mean))
    behind = {design: _least(each) for design, each in found.items() if design not in kept}
    return Field(best, behind, refused, _alone(trials[best[0].design.numeric][0]))


def again(population: Population, forecast: Forecast) -> Forecast:
    """The same on as many other deals, under the attack that was the worst.

    The best of several designs owes part of its score to the deals that it was chosen on.
    """
    design, count = forecast.design, len(forecast.trials)
    trials = list(population.trials(design.numeric, count, first=count))
    found = _rounds(design, trials, population.wishes, [forecast.worst])
    return replace(forecast, by_attack={forecast.worst: tuple(found[forecast.worst])})


def _least(by_attack: Mapping[str, Sequence[float]]) -> float:
    return min(float(np.mean(values)) for values in by_attack.values())


def _rounds(
    design: Design, trials: Sequence[Trial], wishes: Wishes, attacks: Sequence[str]
) -> dict[str, list[float]]:
    """Balanced accuracy of the design in each trial, by attack; 0 where a round gives no model."""
    found: dict[str, list[float]] = {name: [] for name in attacks}
    for trial in trials:
        setting, rule = design.setting(trial.arena, wishes), design.chosen(trial.arena)
        if wishes.liars > max(rule.tolerance(len(setting.groups)), 0) and not setting.federation.proven:
            raise ValueError(
                f"{design.rule} withstands {max(rule.tolerance(len(setting.groups)), 0)} malicious rows "
                f"of {len(setting.groups)}, not {wishes.liars}"
            )
        for name in attacks:
            poison = None if name == UNATTACKED else choose_poison(name)
            outcome = attacked(setting, poison, wishes.liars, rule)
            readout, _ = informed(setting, rule, outcome)
            judged = scores(readout, outcome.opened, trial.scorer, None)
            if judged["failure"] and name == UNATTACKED:
                raise ValueError(judged["failure"])
            found[name].append(float(np.nan_to_num(judged["balanced_accuracy"])))
    return found


def _alone(trial: Trial) -> float:
    """Balanced accuracy of the best simple model of the reference alone."""
    schema, reference = trial.arena.data.schema, trial.arena.reference
    rows = Rows(schema, trial.arena.tables[:1], np.ones(1, dtype=np.int64))
    try:
        model = PublicRecords(reference=reference).model(rows)
    except ValueError:
        return float("nan")
    return trial.scorer.judged(model)[1]
