"""The invariants hold for all statistics of records, and each stands alone against its violation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.primitives.vdaf.field import FIELD64
from protocols.primitives.vdaf.prio3 import Prio3
from protocols.primitives.vdaf.validity import ValidVector
from securenb.schema.features import Categorical, Numeric
from securenb.schema.features.numeric import SQUARES, SUM, VARIANCE
from securenb.schema.invariants import (
    CAP,
    CLASS_COUNT,
    invariants,
)
from securenb.schema.levelled import LEVEL_COUNT, LEVELS
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("a", "b", "c"),
    (
        Categorical("colour", ("red", "green", "blue")),
        Numeric("size", 0.0, 1.0, steps=8, edges=(0.0, 0.5, 0.8, 1.0)),
        Numeric("age", 0.0, 100.0, steps=64, edges=(0, 30, 60, 100), centred=False),
    ),
)
CAP_OF_TESTS = 40


def statistics(rng, records, schema=SCHEMA):
    codes = [rng.integers(0, feature.size, records) for feature in schema.features]
    labels = rng.integers(0, len(schema.classes), records)
    return Statistics.of(schema, Records(np.stack(codes, 1).astype(np.int32), labels.astype(np.int32)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, CAP_OF_TESTS), st.integers(0, 10**6), st.booleans())
def test_the_statistics_of_any_records_up_to_the_cap_are_valid(records, seed, histogram):
    schema = SCHEMA.histogram() if histogram else SCHEMA
    vector = statistics(np.random.default_rng(seed), records, schema).vector()
    rules = invariants(schema, CAP_OF_TESTS)
    assert rules.broken(vector) == ()
    assert all(low <= x <= high for x, (low, high) in zip(vector.tolist(), rules.bounds, strict=True))


@pytest.mark.parametrize("level", [0, 1])
def test_records_that_are_all_alike_reach_every_bound(level):
    schema = SCHEMA
    codes = np.tile(np.array([[0, 8 * level, 64 * level]], np.int32), (CAP_OF_TESTS, 1))
    labels = np.zeros(CAP_OF_TESTS, np.int32)
    vector = Statistics.of(schema, Records(codes, labels)).vector()
    assert invariants(schema, CAP_OF_TESTS).broken(vector) == ()


@pytest.mark.parametrize("cap", [0, -3])
def test_a_cap_that_leaves_nothing_is_refused(cap):
    with pytest.raises(ValueError, match=str(cap)):
        invariants(SCHEMA, cap)


def test_one_record_too_many_is_over_the_cap():
    vector = statistics(np.random.default_rng(1), CAP_OF_TESTS + 1).vector()
    assert CAP in invariants(SCHEMA, CAP_OF_TESTS).broken(vector)


def test_the_histogram_needs_no_products():
    rules = invariants(SCHEMA.histogram(), CAP_OF_TESTS)
    assert rules.products == ()
    assert {item.family for item in rules.ranges} == {CLASS_COUNT, CAP, LEVEL_COUNT}


def column(kind, feature):
    return next(block.start for block in SCHEMA.blocks if (block.kind, block.feature) == (kind, feature))


def violations(rng):
    """One statistics vector for each family, otherwise those of honest records; (family, table)."""
    table = statistics(rng, 30).table
    row = int(rng.integers(3))
    by = int(rng.integers(1, 30))
    feature = int(rng.integers(1, 3))
    numeric = SCHEMA.features[feature]
    count, s, q = 0, column("sum", feature), column("squares", feature)
    levels = column("levels", 0)

    def changed(*changes):
        copy = table.copy()
        for at, value in changes:
            copy[row, at] = value
        return copy

    def moments(n, total, squares):
        """Centred as the statistics have them."""
        centred = total - numeric.offset * n
        squared = squares - 2 * numeric.offset * total + (numeric.offset**2 - numeric.square_offset) * n
        return changed((count, n), (s, centred), (q, squared))

    n = int(table[row, count])
    yield LEVELS, changed((levels, table[row, levels] + by))
    yield LEVELS, changed((count, n + by))
    yield LEVEL_COUNT, changed((levels, -by), (levels + 1, table[row, levels : levels + 2].sum() + by))
    yield CAP, changed((count, n + by + 10), (levels, table[row, levels] + by + 10))
    yield CLASS_COUNT, changed((count, -by), (levels, table[row, levels] - n - by))
    yield SUM, moments(n, numeric.steps * n + by, (numeric.steps * n + by) * 2)
    yield SQUARES, moments(n, by + 1, by)
    yield SQUARES, moments(n, by, numeric.steps * by + 1)
    yield VARIANCE, moments(4, 2 * numeric.steps, numeric.steps**2 - by)
    yield VARIANCE, moments(4, 2 * numeric.steps, 2 * numeric.steps)


@pytest.mark.parametrize("seed", range(30))
def test_each_violation_is_seen_by_its_own_family(seed):
    rules = invariants(SCHEMA, CAP_OF_TESTS)
    for family, table in violations(np.random.default_rng(seed)):
        assert family in rules.broken(table.reshape(-1)), family


@pytest.mark.slow
def test_ten_thousand_violations_are_all_seen_and_a_thousand_honest_nodes_are_not():
    rules = invariants(SCHEMA, CAP_OF_TESTS)
    seen = 0
    for seed in range(1000):
        rng = np.random.default_rng([7, seed])
        for family, table in violations(rng):
            assert family in rules.broken(table.reshape(-1)), (family, seed)
            seen += 1
        assert rules.broken(statistics(rng, int(rng.integers(CAP_OF_TESTS + 1))).vector()) == ()
    assert seen == 10_000


@pytest.mark.slow
def test_no_proof_of_a_violation_holds_and_every_honest_proof_does():
    rules = invariants(SCHEMA, CAP_OF_TESTS)
    circuit = ValidVector(rules, FIELD64)
    prio3 = Prio3(0xFFFF0001, circuit, 2, 3, b"fuzz")
    for seed in range(30):
        rng = np.random.default_rng([8, seed])
        honest = statistics(rng, 30).vector()
        assert verdict(prio3, circuit.encode(honest), rng) == ""
        for family, table in violations(rng):
            vector = table.reshape(-1)
            said = verdict(prio3, circuit.encode(vector), rng)
            named = [found for found in rules.broken(vector) if found in said]
            assert family in named, (family, seed, said)
            assert set(named) == set(rules.broken(vector))


def verdict(prio3, encoded, rng):
    """What is wrong, or nothing."""
    nonce, key = rng.bytes(16), rng.bytes(32)
    public, shares = prio3.shard(encoded, nonce, rng.bytes(prio3.random_bytes))
    verifiers = [prio3.verify_init(key, at, nonce, public, share)[1] for at, share in enumerate(shares)]
    try:
        prio3.verifier_shares_to_message(verifiers)
    except ValueError as error:
        if "proof does not hold" not in str(error):
            raise
        return str(error)
    return ""


def test_every_family_has_a_violation_in_these_tests():
    assert {family for family, _ in violations(np.random.default_rng(0))} == {
        CAP,
        CLASS_COUNT,
        LEVEL_COUNT,
        LEVELS,
        SQUARES,
        SUM,
        VARIANCE,
    }


def test_the_circuit_takes_honest_statistics():
    circuit = ValidVector(invariants(SCHEMA, CAP_OF_TESTS), FIELD64)
    vector = statistics(np.random.default_rng(2), 30).vector()
    assert circuit.field.integers(circuit.truncate(circuit.encode(vector))) == [
        int(x) % FIELD64.modulus for x in vector
    ]
