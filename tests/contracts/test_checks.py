"""The checks that we ship hold for ours, and catch a fault of every kind."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from attacks.checks import check_deviation, check_inference, check_poison
from attacks.deviation import DEVIATIONS
from attacks.deviations.silent import Silent
from attacks.inference import INFERENCES, Attempt, Inference
from attacks.poison import POISONS
from attacks.poisons.backdoor import Backdoor
from attacks.poisons.label_flip import LabelFlip
from protocols.contract import BrokenContract
from securenb.bayes.parameters import Parameters
from securenb.checks import check_dataset, check_mechanism, check_rule
from securenb.data.dataset import DATASETS
from securenb.data.datasets.phishing import Phishing
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rule import RULES
from securenb.robust.rules.median import Median
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical


@pytest.mark.parametrize("name", list(RULES))
def test_our_rules_keep_the_contract(name):
    check_rule(RULES[name])


@pytest.mark.parametrize("name", [name for name in MECHANISMS if MECHANISMS[name] is not NoNoise])
def test_our_mechanisms_keep_the_contract(name):
    check_mechanism(MECHANISMS[name])


@pytest.mark.parametrize("name", ["phishing", "breast_cancer", "digits"])
def test_our_data_sets_keep_the_contract(name):
    check_dataset(DATASETS[name])


@pytest.mark.parametrize("name", list(POISONS))
def test_our_poisons_keep_the_contract(name):
    check_poison(POISONS[name])


@pytest.mark.parametrize("name", ["repeat", "garbage", "silent", "false_sum", "swapped_key"])
def test_our_deviations_keep_the_contract(name):
    check_deviation(DEVIATIONS[name])


@pytest.mark.parametrize("name", list(INFERENCES))
def test_our_inferences_keep_the_contract(name):
    check_inference(INFERENCES[name])


# rules


@dataclass(frozen=True)
class MeanOfPoints(Median):
    """Claims a median's bound for a mean."""

    by_coordinate = False

    def centre(self, points):
        return points.imputed().mean(axis=0)


@dataclass(frozen=True)
class ToTheOrigin(Median):
    """Ends at a place that does not move with the points."""

    by_coordinate = False

    def centre(self, points):
        return 0.9 * np.median(points.imputed(), axis=0)

    def displacement(self, rows):
        return 1e9


@dataclass(frozen=True)
class FirstRow(Sum):
    """Takes the first row that it is given."""

    def combine(self, rows):
        return super()._combine(replace(rows, tables=rows.tables[:1], sizes=rows.sizes[:1]))


@dataclass(frozen=True)
class WithoutBound(Sum):
    """Says that it withstands three rows."""

    def tolerance(self, rows):
        return 3


@dataclass(frozen=True)
class NeverRefuses(Sum):
    """Takes any number of malicious rows."""

    def combine(self, rows):
        return super()._combine(rows.ordered())


@dataclass(frozen=True)
class ChangesInput(Sum):
    """Adds in place."""

    def combine(self, rows):
        rows.tables[0] += 1
        return super().combine(rows)


@dataclass(frozen=True)
class NotFinite(Sum):
    """Has a hole."""

    def _combine(self, rows):
        found = super()._combine(rows)
        table = found.table.copy()
        table[0, 1] = np.nan
        return Parameters(found.schema, table, found.defined)


@dataclass(frozen=True)
class Random(Sum):
    """Draws from a stream of its own."""

    def _combine(self, rows):
        found = super()._combine(rows)
        noise = 1 + 1e-9 * np.random.default_rng().random(found.table.shape)
        return Parameters(found.schema, found.table * noise, found.defined)


@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        (MeanOfPoints, "leave a model that is right"),
        (ToTheOrigin, "A centre follows translation"),
        (FirstRow, "The order of the rows"),
        (WithoutBound, "leave a model that is right"),
        (NeverRefuses, "More malicious rows than it withstands are refused"),
        (ChangesInput, "changes no input"),
        (NotFinite, "gives the finite parameters"),
        (Random, "twice the same"),
    ],
)
def test_a_faulty_rule_is_caught(mutant, broken):
    with pytest.raises(BrokenContract) as caught:
        check_rule(mutant)
    assert broken in str(caught.value)


# mechanisms


class Leaky(DiscreteLaplace):
    """Leaves the first cell alone."""

    def share(self, schema, among, noise, shares=1):
        found = super().share(schema, among, noise, shares)
        found[0] = 0
        return found


class HalfADose(DiscreteLaplace):
    """Adds shares for twice as many as it should."""

    def share(self, schema, among, noise, shares=1):
        return super().share(schema, 2 * among if among > 1 else among, noise, shares)


class TwiceTheEpsilon(DiscreteLaplace):
    """Promises half of what it costs."""

    @classmethod
    def of(cls, epsilon, delta):
        return cls(2 * epsilon)


class SmallNoise(DiscreteLaplace):
    """Draws less than its law."""

    def share(self, schema, among, noise, shares=1):
        return super().share(schema, among, noise, shares) // 2


class ShortTail(DiscreteLaplace):
    """Plans for little noise."""

    def tail(self, schema, among, nodes):
        return 3


class AnyEpsilon(DiscreteLaplace):
    """Takes any epsilon."""

    @classmethod
    def from_epsilon(cls, epsilon, delta=None):
        try:
            return super().from_epsilon(epsilon, delta)
        except ValueError:
            return cls(Fraction(1))


class Biased(DiscreteLaplace):
    """Has a mean."""

    def share(self, schema, among, noise, shares=1):
        return super().share(schema, among, noise, shares) + 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        (Leaky, "Every cell gets noise"),
        (HalfADose, "have the variance of one dose"),
        (TwiceTheEpsilon, "costs at most the epsilon"),
        (SmallNoise, "the law that the ledger charges"),
        (ShortTail, "within the tail"),
        (AnyEpsilon, "no positive number"),
        (Biased, "and no bias"),
    ],
)
def test_a_faulty_mechanism_is_caught(mutant, broken):
    with pytest.raises(BrokenContract) as caught:
        check_mechanism(mutant)
    assert broken in str(caught.value)


# data sets


class Undated(Phishing):
    origin = ""


class Changing(Phishing):
    def read(self):
        (table,) = super().read()
        return [table.sample(frac=1)]


class Unchecked(Phishing):
    def check(self, tables):
        pass


class NarrowBounds(Phishing):
    schema = replace(Phishing.schema, features=(*Phishing.schema.features[:-1],
                                                Categorical("ip_in_url", ("0", "2"))))  # fmt: skip


class NoSuchClass(Phishing):
    schema = replace(Phishing.schema, classes=("0", "1", "2"))


@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        (Undated, "title, origin, licence"),
        (Changing, "the same each time"),
        (Unchecked, "A changed label and a missing row are refused"),
        (NarrowBounds, "is in the schema"),
        (NoSuchClass, "Every class occurs in training"),
    ],
)
def test_a_faulty_data_set_is_caught(mutant, broken):
    with pytest.raises(BrokenContract) as caught:
        check_dataset(mutant)
    assert broken in str(caught.value)
    assert isinstance(mutant().read()[0], pd.DataFrame)


# poisons, deviations, inferences


@dataclass(frozen=True)
class OneTable(LabelFlip):
    def forge(self, known, rng):
        return super().forge(known, rng)[:1]


@dataclass(frozen=True)
class Escapes(LabelFlip):
    def sent(self, known, rng):
        return [100 * table for table in super().sent(known, rng)]


@dataclass(frozen=True)
class SeesAll(LabelFlip):
    def sent(self, known, rng):
        return [table + known.others.sum(axis=0) for table in super().sent(known, rng)]


@dataclass(frozen=True)
class NoAim(LabelFlip):
    aim = "fun"


@dataclass(frozen=True)
class WantsNothing(Backdoor):
    def wanted(self, schema, records):
        return None


@dataclass(frozen=True)
class Harmless(LabelFlip):
    def forge(self, known, rng):
        return list(known.own)


@dataclass(frozen=True)
class OwnStream(LabelFlip):
    def forge(self, known, rng):
        own = np.random.default_rng()
        return [table + own.integers(0, 50, table.shape) for table in known.own]


@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        (OneTable, "Every malicious node sends something"),
        (Escapes, "no check of one node's statistics"),
        (SeesAll, "With local knowledge"),
        (NoAim, "Its aim is one of four"),
        (WantsNothing, "Its aim is one of four"),
        (Harmless, "opens other rows"),
        (OwnStream, "the same for the same randomness"),
    ],
)
def test_a_faulty_poison_is_caught(mutant, broken):
    with pytest.raises(BrokenContract) as caught:
        check_poison(mutant)
    assert broken in str(caught.value)


class Idle(Silent):
    """Never deviates."""

    def deviant(self, honest, cast):
        return honest


def test_a_deviation_that_never_deviates_is_caught():
    with pytest.raises(BrokenContract, match="it deviates under no protocol"):
        check_deviation(Idle)


@dataclass(frozen=True)
class Sure(Inference):
    """Is right twice."""

    def attempt(self, federation, nodes, rng):
        return Attempt(2.0, 0.0)


@dataclass(frozen=True)
class Moody(Inference):
    """Concludes something else each time."""

    def attempt(self, federation, nodes, rng):
        return Attempt(float(np.random.default_rng().random()), 0.0)


@dataclass(frozen=True)
class Vandal(Inference):
    """Changes what it looks at."""

    def attempt(self, federation, nodes, rng):
        nodes[0].records.codes[0] += 1
        return Attempt(0.5, 0.5)


@pytest.mark.parametrize("mutant", [Sure, Moody, Vandal])
def test_a_faulty_inference_is_caught(mutant):
    with pytest.raises(BrokenContract, match="An attempt gives parts from 0 to 1"):
        check_inference(mutant)
