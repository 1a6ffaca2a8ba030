"""Removed, replaced and flipped records against every choice of records, and all removals from sums."""

import itertools

import numpy as np
import pytest

from benchmarks.evidence.claims.collective_certificates import SCHEMAS, _rows
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.bayes.pooled import Pooled
from securenb.certify.changed import MOST, certify_changed
from securenb.certify.worst_addition import TIE
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.statistics import Statistics

LIMIT = 2


def case(schema, rng):
    """Records, a model of them, and every point."""
    n, classes = int(rng.integers(4, 9)), len(schema.classes)
    labels = rng.integers(0, classes, n)
    codes = np.stack(
        [np.minimum(rng.integers(0, f.size, n) + labels % 2, f.size - 1) for f in schema.features], 1
    )
    points = np.array(
        list(itertools.product(*([UNKNOWN, *range(f.size)] for f in schema.features))), np.int32
    )
    return codes.astype(np.int32), labels.astype(np.int32), points


def model_of(schema, table, smoothing):
    pooled = Pooled(Statistics(schema, table), smoothing)
    return NaiveBayes(pooled.parameters(), pooled)


def fewest(schema, points, tables, predicted, smoothing):
    """Fewest changes after which another class is not behind, by exhaustion of tables by number."""
    needed, at = np.full(len(points), LIMIT + 1), np.arange(len(points))
    for count in reversed(range(LIMIT + 1)):
        for table in tables[count]:
            joint = NaiveBayes(estimate(schema, table, smoothing)).log_joint(points)
            lead = joint[at, predicted].copy()
            joint[at, predicted] = -np.inf
            needed[lead - joint.max(axis=1) <= TIE] = count
    return needed


def every(schema, codes, labels, change):
    """The tables after every change of 0 … LIMIT records."""
    kinds = [
        (np.array(values, np.int32), label)
        for values in itertools.product(*(range(f.size) for f in schema.features))
        for label in range(len(schema.classes))
    ]
    found = []
    for count in range(LIMIT + 1):
        tables = {}
        for chosen in itertools.combinations(range(len(labels)), count):
            options = {
                "removed": [None],
                "flipped": itertools.product(range(len(schema.classes)), repeat=count),
                "replaced": itertools.combinations_with_replacement(kinds, count),
            }[change]
            for option in options:
                x, y = codes.copy(), labels.copy()
                if change == "removed":
                    x, y = np.delete(x, chosen, axis=0), np.delete(y, chosen)
                elif change == "flipped":
                    y[list(chosen)] = option
                else:
                    for place, (values, label) in zip(chosen, option, strict=True):
                        x[place], y[place] = values, label
                table = Statistics.of(schema, Records(x, y)).table
                tables[table.tobytes()] = table
        found.append(list(tables.values()))
    return found


@pytest.mark.parametrize("change", ["removed", "replaced", "flipped"])
@pytest.mark.parametrize("which", range(len(SCHEMAS)))
def test_no_choice_of_records_needs_fewer_changes(which, change):
    schema, tight, total = SCHEMAS[which], 0, 0
    for seed in range(2 if change == "replaced" else 6):
        rng = np.random.default_rng([which, seed])
        codes, labels, points = case(schema, rng)
        smoothing = float(rng.choice([0.5, 1.0, 3.0]))
        table = Statistics.of(schema, Records(codes, labels)).table
        found = certify_changed(model_of(schema, table, smoothing), points, LIMIT, change)
        needed = fewest(schema, points, every(schema, codes, labels, change), found.predicted, smoothing)
        assert (found.needed <= needed).all()
        tight, total = tight + int((found.needed == needed).sum()), total + len(needed)
    assert tight > 0.6 * total


@pytest.mark.parametrize("which", range(len(SCHEMAS)))
def test_removal_is_what_trying_every_table_gives(which):
    schema = SCHEMAS[which]
    for seed in range(4):
        codes, labels, points = case(schema, np.random.default_rng([which, seed]))
        table = Statistics.of(schema, Records(codes, labels)).table
        found = certify_changed(model_of(schema, table, 1.0), points, LIMIT, "removed")
        tables = [[] for _ in range(LIMIT + 1)]
        for counts in itertools.product(range(LIMIT + 1), repeat=len(schema.classes)):
            for rows in (
                itertools.product(*(_rows(schema, count) for count in counts)) if sum(counts) <= LIMIT else ()
            ):
                if (np.stack(rows) <= table).all():
                    tables[sum(counts)].append(table - np.stack(rows))
        assert found.needed.tolist() == fewest(schema, points, tables, found.predicted, 1.0).tolist()
        assert found.exact.all()


def test_of_replaced_records_no_more_are_needed_than_of_others(dataset):
    data = dataset("phishing")
    model = model_of(data.schema, Statistics.of(data.schema, data.train).table, 1.0)
    needed = {change: certify_changed(model, data.test.codes[:60], 150, change).needed
              for change in ("removed", "replaced", "flipped")}  # fmt: skip
    assert (needed["replaced"] <= needed["flipped"]).all()
    assert (needed["replaced"] <= needed["removed"]).all()
    assert needed["replaced"].max() <= 151


def test_what_has_no_such_certificate_is_refused(dataset):
    schema = SCHEMAS[0]
    codes, labels, points = case(schema, np.random.default_rng(1))
    table = Statistics.of(schema, Records(codes, labels)).table
    model = model_of(schema, table, 1.0)
    with pytest.raises(ValueError, match=f"from 0 to {MOST}"):
        certify_changed(model, points, MOST + 1, "removed")
    with pytest.raises(ValueError, match="removed, replaced, flipped, got 'lost'"):
        certify_changed(model, points, 1, "lost")
    with pytest.raises(ValueError, match="of a plain sum"):
        certify_changed(NaiveBayes(model.parameters), points, 1, "removed")
    noisy = table.copy()
    noisy[0, 1] += 1
    with pytest.raises(ValueError, match="sums with noise"):
        certify_changed(model_of(schema, noisy, 1.0), points, 1, "removed")
    data = dataset("breast_cancer")
    with pytest.raises(ValueError, match="of the kind 'numeric'"):
        certify_changed(
            model_of(data.schema, Statistics.of(data.schema, data.train).table, 1.0), points, 1, "removed"
        )
