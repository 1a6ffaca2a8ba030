"""Features weighed by public records: what misleads counts for little, and the table is the product."""

import numpy as np
import pytest

from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Parameters, estimate
from securenb.data.dataset import load_dataset
from securenb.robust.rule import Rows
from securenb.robust.rules.calibrated_sum import CalibratedSum, _by_feature, _product
from securenb.robust.rules.verified_sum import VerifiedSum
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics

DATA = load_dataset("breast_cancer")
REFERENCE = DATA.train[:100]


def rows(table):
    return Rows(DATA.schema, table[None], np.array([20]))


def score(rule, table):
    return NaiveBayes(rule.combine(rows(table))).balanced_score(DATA.test)


def test_flipped_labels_do_not_turn_the_model_round():
    table = Statistics.of(DATA.schema, DATA.train).table
    flipped = Statistics.of(DATA.schema, Records(DATA.train.codes, 1 - DATA.train.labels)).table
    assert score(CalibratedSum(reference=REFERENCE), table) > 0.9
    assert score(VerifiedSum(), table // 4 + flipped) < 0.2
    assert score(CalibratedSum(reference=REFERENCE), table // 4 + flipped) > 0.85


@pytest.mark.parametrize("name", ["breast_cancer", "phishing"])
def test_the_table_is_the_weighted_product_of_the_densities(name):
    data, rng = load_dataset(name), np.random.default_rng(3)
    schema, features = data.schema, len(data.schema.features)
    tables = [
        estimate(schema, Statistics.of(schema, part).table).table for part in (data.train, data.train[:80])
    ]
    powers = [rng.uniform(0.01, 2, features), rng.uniform(0.01, 2, features)]
    offsets = rng.normal(size=len(schema.classes))
    table = _product(schema, tables, powers, offsets)
    joint = NaiveBayes(Parameters(schema, table, np.ones(table.shape, bool))).log_joint(data.test.codes)
    expected = offsets + sum(
        np.einsum("nfc,f->nc", _by_feature(schema, t, data.test), p)
        for t, p in zip(tables, powers, strict=True)
    )
    # up to what all classes share
    assert np.allclose(joint - joint[:, :1], expected - expected[:, :1])


def test_without_public_records_of_every_class_it_is_refused():
    table = Statistics.of(DATA.schema, DATA.train).table
    with pytest.raises(ValueError, match="needs a reference"):
        CalibratedSum().combine(rows(table))
    one = REFERENCE[REFERENCE.labels == 0]
    with pytest.raises(ValueError, match="no record of some class"):
        CalibratedSum(reference=one).combine(rows(table))
