"""The influence report: who matters, and nothing of what they sent."""

import numpy as np

from attacks.poison import choose_poison
from securenb.bayes.model import NaiveBayes
from securenb.data.dataset import load_dataset
from securenb.data.partition import deal
from securenb.federation.influence import influences
from securenb.robust.rule import Rows
from securenb.robust.spec import choose_rule

DATA = load_dataset("phishing")
NODES = deal(DATA.train, len(DATA.schema.classes), 12, rng=np.random.default_rng(1))
TABLES = np.array([node.statistics(DATA.schema).table for node in NODES])


def test_a_poisoned_row_of_a_sum_stands_out_and_no_row_of_a_median_moves_much():
    poisoned = choose_poison("scaled_flip").nodes(
        NODES, [4], DATA.schema, choose_rule("sum"), np.random.default_rng(1)
    )
    tables = TABLES.copy()
    tables[4] = poisoned[4].forged
    rows = Rows(DATA.schema, tables, np.ones(12, dtype=np.int64))
    of_sum = influences(choose_rule("sum"), rows, DATA.test)
    assert of_sum.loc[4, "verdict"] == "stands out"
    assert of_sum["mean_change"].idxmax() == 4
    assert of_sum.loc[4, "changed"] > 0.5
    of_median = influences(choose_rule("median", malicious=1), rows, DATA.test)
    assert of_median["mean_change"].max() < of_sum.loc[4, "mean_change"] / 10


def test_influence_is_what_leaving_the_row_out_changes():
    rows = Rows(DATA.schema, TABLES, np.ones(12, dtype=np.int64))
    rule = choose_rule("sum")
    found = influences(rule, rows, DATA.test)
    rest = Rows(DATA.schema, TABLES[1:], np.ones(11, dtype=np.int64))
    joint, without = (NaiveBayes(rule.combine(r)).log_joint(DATA.test.codes) for r in (rows, rest))
    order = np.argsort(-joint, axis=1, kind="stable")[:, :2]
    a, b = (np.take_along_axis(x, order, axis=1) for x in (joint, without))
    change = np.abs((a[:, 0] - a[:, 1]) - (b[:, 0] - b[:, 1]))
    assert np.isclose(found.loc[0, "mean_change"], change.mean())
    assert np.isclose(found.loc[0, "largest_change"], change.max())
    assert set(found.columns) == {"row", "members", "mean_change", "largest_change", "changed", "verdict"}


def test_rows_that_a_rule_cannot_do_without_are_named():
    rows = Rows(DATA.schema, TABLES[:3], np.ones(3, dtype=np.int64))
    found = influences(choose_rule("krum"), rows, DATA.test)
    assert set(found["verdict"]) == {"indispensable"}
    alone = Rows(DATA.schema, TABLES[:1], np.ones(1, dtype=np.int64))
    assert list(influences(choose_rule("sum"), alone, DATA.test)["verdict"]) == ["indispensable"]
