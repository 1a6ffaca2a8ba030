"""A kind of feature that is one file goes through everything, or is refused by name."""

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attacks.audit.canaries import plant, table
from attacks.audit.federation_target import FederationTarget
from attacks.audit.neighbours import neighbours
from attacks.audit.run import run_audit
from attacks.inference import INFERENCES
from attacks.poison import POISONS, Knowledge, choose_poison
from protocols.schemes.ideal import Ideal
from protocols.schemes.masking import Masking
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Parameters, estimate
from securenb.certify.certificate import certify
from securenb.data.node import Node
from securenb.data.own import load_file
from securenb.deploy.dry_run import coordinates
from securenb.experiments.montecarlo import Scorer
from securenb.federation.federation import Federation
from securenb.paper.records import RawRecords
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.privacy.sensitivity import ADJACENCIES, Shift, cases
from securenb.robust.rule import RULES, Rows
from securenb.robust.rules.sum import Sum
from securenb.robust.spec import choose_rule
from securenb.schema import features
from securenb.schema.feature import FEATURES, Feature, Query
from securenb.schema.features import Categorical, Numeric
from securenb.schema.invariants import invariants
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

FOURTH = str(Path(__file__).parent / "fourth_kind")
NAMED = "feature 'smokes' is of the kind 'bernoulli'"


@pytest.fixture(autouse=True)
def plugged():
    """The folder of kinds has one more file."""
    features.__path__.append(FOURTH)
    yield
    features.__path__.remove(FOURTH)


@pytest.fixture
def schema():
    others = Categorical("colour", ("x", "y", "z")), Numeric("size", 0, 1, steps=8)
    return Schema(("well", "ill"), (FEATURES["bernoulli"]("smokes"), *others))


def records(count, seed=1):
    """Most of the ill smoke, few of the well do."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    smokes = rng.random(count) < np.where(labels, 0.8, 0.1)
    codes = np.column_stack([smokes, rng.integers(0, 3, count), np.clip(rng.normal(3 + 2 * labels, 2), 0, 8)])
    return Records(codes.astype(np.int32), labels.astype(np.int32))


def nodes(count=8):
    held = records(400)
    return [Node(f"node-{at}", held[at::count]) for at in range(count)]


def federation(schema, protocol=None, mechanism=None):
    return Federation(schema, protocol or Ideal(), mechanism or NoNoise(), Sum(), seed=3)


def known(schema, rule="sum"):
    tables = np.array([node.statistics(schema).table for node in nodes(12)])
    return Knowledge(schema, tables[:3], tables[3:], choose_rule(rule), 1, 60)


@pytest.mark.parametrize("protocol", [Ideal(), Masking()])
def test_a_round_opens_the_yeses_and_the_model_learns_them(schema, protocol):
    round_ = federation(schema, protocol).run(nodes())
    total = Statistics.of(schema, records(400))
    assert np.array_equal(round_.opened.rows.sum(axis=0).reshape(total.table.shape), total.table)
    test = records(1000, seed=2)
    alone = replace(test, codes=np.where([True, False, False], test.codes, UNKNOWN).astype(np.int32))
    assert round_.model.score(test) > 0.8
    assert 0.8 < round_.model.score(alone) < round_.model.score(test) + 0.05
    assert (round_.model.predict_codes(alone.codes) == test.codes[:, 0]).all()
    again = NaiveBayes.from_dict(round_.model.to_dict())
    assert np.array_equal(again.log_joint(test.codes), round_.model.log_joint(test.codes))
    assert "yes (0." in again._repr_html_()


def test_noise_costs_what_one_query_costs(schema):
    exact = DiscreteLaplace(Fraction(1))
    ledger = federation(schema, mechanism=exact).run(nodes()).ledger
    assert ledger.epsilon("add-remove") == 1
    assert len(schema.blocks) == 1 + 1 + 1 + 2


def test_no_change_of_a_record_moves_more_than_the_schema_says(schema):
    every = list(itertools.product(range(2), (0, 2), (0, 4, 8), range(2)))
    tables = {
        record: Statistics.of(
            schema, Records(np.array([record[:3]], np.int32), np.array([record[3]], np.int32))
        ).table
        for record in every
    }
    smokes = schema.columns[0]
    for adjacency, pairs in (
        ("add-remove", [(None, record) for record in every]),
        ("replace-one", itertools.product(every, repeat=2)),
    ):
        allowed = [
            [
                shift.by
                for shift in case
                if isinstance(shift, Shift) and shift.block.feature == 0
                for _ in range(shift.times)
            ]
            for case in cases(schema, adjacency)
        ]
        reached = set()
        for before, after in pairs:
            change = tables[after] - (0 if before is None else tables[before])
            moved = sorted(abs(change[:, smokes][change[:, smokes] != 0]).tolist())
            assert any(len(moved) <= len(most) and max(moved, default=0) <= max(most) for most in allowed)
            reached.add(tuple(moved))
        assert tuple(max(allowed, key=len)) in reached


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("mechanism", [DiscreteLaplace(Fraction(1)), Skellam(Fraction(1), 1e-6)])
def test_the_audit_tries_its_neighbours(schema, adjacency, mechanism):
    nothing = records(0)
    target = FederationTarget(
        federation(schema, mechanism=mechanism), [Node(f"node-{at}", nothing) for at in range(4)], "group"
    )
    audit = run_audit(target, adjacency, ["L0", "L1"], seed=1)
    assert {finding.verdict for finding in audit.findings} == {"PASS"}, audit.findings


def doubled(codes):
    """Every yes counts twice."""
    return 2 * codes.astype(np.int64)[:, None]


def paired(codes):
    """Every yes counts in two coordinates at once."""
    return np.repeat(codes.astype(np.int64)[:, None], 2, axis=1)


LIES = {
    "reach": {"added": doubled},
    "span": {"added": lambda codes: 2 * codes.astype(np.int64)[:, None] - 1},
    "coordinates": {"added": paired, "queries": (Query("yeses", 2, 1, 1),)},
    "partition": {"queries": (Query("yeses", 1, 1, 1, partition=True),)},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_kind_that_understates_what_a_record_adds_is_refused(schema, monkeypatch, lie):
    @dataclass(frozen=True)
    class Liar(FEATURES["bernoulli"]):
        """Says less than what a record does."""

    for name, value in LIES[lie].items():
        monkeypatch.setattr(Liar, name, staticmethod(value) if callable(value) else value)
    with pytest.raises(ValueError, match=r"smokes: (a|not every) record"):
        replace(schema, features=(Liar("smokes"), *schema.features[1:]))


@pytest.mark.parametrize("lie", ["reach", "coordinates"])
def test_the_audit_finds_a_kind_that_lies_later(monkeypatch, lie):
    @dataclass(frozen=True)
    class Liar(FEATURES["bernoulli"]):
        """Says less than what a record does, once it has been tried."""

        queries = (Query("yeses", 2, 1, 1),) if lie == "coordinates" else (Query("yeses", 1, 1, 1),)

        def added(self, codes):
            return np.pad(super().added(codes), ((0, 0), (0, self.width - 1)))

    lying = Schema(("well", "ill"), (Liar("smokes"),))
    monkeypatch.setattr(Liar, "added", staticmethod(LIES[lie]["added"]))
    nothing = Records(np.zeros((0, 1), np.int32), np.zeros(0, np.int32))
    target = FederationTarget(
        federation(lying, mechanism=DiscreteLaplace(Fraction(1))), [Node("a", nothing), Node("b", nothing)]
    )
    audit = run_audit(target, "add-remove", ["L0", "L1"], seed=1)
    failed = {finding.level for finding in audit.findings if finding.verdict == "FAIL"}
    assert failed == {"L0", "L1"}, audit.findings


def test_neighbours_and_canaries_are_values_of_the_kind(schema):
    pool = neighbours(schema, "replace-one", np.random.default_rng(1)).pool
    assert set(pool["smokes"]) == {"yes", "no"}
    assert len(schema.records(pool)) == len(pool)
    canaries = plant(schema, ["a", "b"], 40, np.random.default_rng(2))
    assert set(canaries.records.codes[:, 0].tolist()) == {0, 1}
    written = schema.records(table(schema, canaries.records))
    assert np.array_equal(written.codes, canaries.records.codes)


def test_invariants_hold_for_records_and_not_for_more_yeses_than_records(schema):
    rules = invariants(schema, 60)
    for node in nodes():
        vector = node.statistics(schema).vector()
        assert rules.broken(vector) == ()
        vector[1] = vector[0] + 1
        assert rules.broken(vector) == ("more yeses than records",)


def test_a_kind_without_invariants_is_refused_where_they_are_needed(schema):
    @dataclass(frozen=True)
    class Unproven(FEATURES["bernoulli"]):
        """States none."""

        invariants = Feature.invariants

    unproven = replace(schema, features=(Unproven("smokes"),))
    with pytest.raises(ValueError, match="feature 'smokes' is of the kind .* cannot be proven"):
        invariants(unproven, 10)


@pytest.mark.parametrize("name", POISONS)
@pytest.mark.parametrize("variant", ["", ":inside"])
def test_a_poison_forges_the_kind_or_refuses_it_by_name(schema, name, variant):
    knowledge = known(schema)
    rng = np.random.default_rng(4)
    try:
        sent = choose_poison(name + variant).brief().sent(knowledge, rng)
    except ValueError as error:
        assert NAMED in str(error)  # noqa: PT017 - which poisons refuse is of no account
        return
    assert len(sent) == 3
    rules = invariants(schema, knowledge.cap)
    if variant:
        assert all(rules.broken(forged.reshape(-1)) == () for forged in sent)


OF_RECORDS = ["label_flip", "backdoor", "outliers", "worst_records", "variance_collapse", "evolution"]
OF_RECORDS += ["gradient", "gradient_backdoor", "label_flip_bilevel"]


@pytest.mark.parametrize("name", OF_RECORDS)
def test_poisons_of_records_know_what_records_of_the_kind_add(schema, name):
    rng = np.random.default_rng(4)
    for forged in choose_poison(f"{name}:inside").brief().sent(known(schema), rng):
        assert ((forged[:, 1] >= 0) & (forged[:, 1] <= forged[:, 0])).all()


@pytest.mark.parametrize("name", [name for name in RULES if not RULES[name].increments])
def test_a_rule_combines_the_kind_or_refuses_it_by_name(schema, name):
    tables = np.array([node.statistics(schema).table for node in nodes(9)])
    rule = choose_rule(name, reference=records(60, seed=5))
    try:
        model = rule.model(Rows(schema, tables, np.ones(9, dtype=np.int64)))
    except ValueError as error:
        assert NAMED in str(error)  # noqa: PT017 - which rules refuse is of no account
        assert name in ("calibrated_sum", "public_records")
        return
    assert model.score(records(500, seed=6)) > 0.8


def test_bulk_scores_are_the_models(schema):
    test = records(500, seed=7)
    tables = np.stack([estimate(schema, node.statistics(schema).table).table for node in nodes()])
    accuracy, _ = Scorer.of(schema, test).accuracies(tables)
    defined = np.ones(tables.shape[1:], dtype=np.bool_)
    for found, one in zip(accuracy, tables, strict=True):
        assert found == NaiveBayes(Parameters(schema, one, defined)).score(test)


@pytest.mark.parametrize("name", INFERENCES)
def test_inferences_conclude_the_kind(schema, name):
    found = INFERENCES[name]().measure(federation(schema), nodes(), trials=4, seed=1)
    assert 0 <= found.low <= found.right <= found.high <= 1


def test_what_cannot_be_certified_or_was_not_published_is_refused_by_name(schema):
    model = federation(schema).run(nodes()).model
    with pytest.raises(ValueError, match=f"{NAMED}, which cannot be certified"):
        certify(model, records(5).codes, 1, 10)
    blind = np.where([False, True, True], records(5).codes, UNKNOWN).astype(np.int32)
    with pytest.raises(ValueError, match=f"{NAMED}, which cannot be certified"):
        certify(model, blind, 0, 10)
    frame = pd.DataFrame({"smokes": ["yes"], "colour": ["x"], "size": [0.5], "label": ["ill"]})
    with pytest.raises(ValueError, match=f"{NAMED}, and the paper"):
        RawRecords.of(schema, frame)


def test_a_csv_and_a_schema_file_make_a_data_set(schema, tmp_path, as_files):
    path, written = as_files(tmp_path, schema, {"patients": records(200)})
    assert 'kind = "bernoulli"' in path.read_text()
    data = load_file(written["patients"], path)
    assert data.schema == schema
    round_ = federation(data.schema).run(data.deal(5, seed=1))
    assert round_.model.score(data.train) > 0.7


def test_a_site_reads_what_it_would_send(schema):
    assert list(coordinates(schema))[:2] == ["label=well: records", "label=well: yeses of smokes"]
    assert len(list(coordinates(schema))) == schema.length


def test_a_query_says_what_one_record_moves():
    assert FEATURES["bernoulli"].queries == (Query("yeses", 1, 1, 1),)
