"""What every kind of feature promises, over the catalogue and a fourth kind that is one file beside it."""

import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from protocols.validity import Equality, Product, Range, Validity
from securenb.certify import categorical, gaussian  # noqa: F401 - they register what they reach
from securenb.certify.reach import Held, has_reach, reach
from securenb.schema import features
from securenb.schema.feature import FEATURES, Feature
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics
from securenb.schema.toml import schema_from_dict, schema_to_dict

FOURTH = str(Path(__file__).parent / "fourth_kind")
CLASSES = ("a", "b", "c")

EXAMPLES = {
    "categorical": {"name": "f", "levels": ("x", "y", "z")},
    "categorical with missing values": {"name": "f", "levels": ("x", "?"), "missing": "?"},
    "binned": {"name": "f", "edges": (0.0, 1.0, 2.5, 4.0)},
    "binned with missing numbers": {"name": "f", "edges": (0.0, 1.0, 4.0), "missing": "level"},
    "numeric": {"name": "f", "lower": -1.0, "upper": 3.0, "steps": 8},
    "numeric with a place for missing ones": {"name": "f", "lower": 0.0, "upper": 1.0, "missing": 0.25},
    "numeric off centre": {"name": "f", "lower": -1.0, "upper": 3.0, "steps": 6, "centred": False},
    "bernoulli": {"name": "f"},
}


@pytest.fixture(autouse=True)
def plugged():
    """The folder of kinds has one more file."""
    features.__path__.append(FOURTH)
    yield
    features.__path__.remove(FOURTH)


@pytest.fixture(params=EXAMPLES)
def feature(request) -> Feature:
    return FEATURES[request.param.split()[0]](**EXAMPLES[request.param])


def drawn(feature, seed, records=60):
    """Random codes and labels."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, feature.size, records).astype(np.int32)
    return codes, rng.integers(0, len(CLASSES), records)


def drawn_sums(feature, seed):
    """Sums and counts of random records."""
    codes, labels = drawn(feature, seed)
    counts = np.bincount(labels, minlength=len(CLASSES)).astype(np.float64)
    return feature.tabulate(codes, labels, len(CLASSES)).astype(np.float64), counts


def estimated(feature, seed, smoothing=1.0):
    """The parameters of random records."""
    codes, labels = drawn(feature, seed)
    counts = np.bincount(labels, minlength=len(CLASSES)).astype(np.float64)
    sums = feature.tabulate(codes, labels, len(CLASSES)).astype(np.float64)
    return feature.estimate(sums, counts, smoothing)[0], counts


def every(feature):
    return np.arange(feature.size, dtype=np.int32)


def refuses(feature, method, *arguments):
    """Whether the kind leaves a method out; then it must refuse by the column's and the kind's name."""
    if getattr(type(feature), method) is not getattr(Feature, method):
        return False
    with pytest.raises(ValueError, match=f"'{feature.name}' is of the kind '{feature.kind}'"):
        getattr(feature, method)(*arguments)
    return True


def test_every_kind_of_the_catalogue_is_tested_here():
    assert {name.split()[0] for name in EXAMPLES} == set(FEATURES)


def test_a_value_that_a_code_stands_for_has_that_code(feature):
    assert feature.encode(pd.Series(feature.decode(every(feature)))).tolist() == every(feature).tolist()


def test_what_is_no_value_has_no_code_or_that_of_missing_values(feature):
    for value in (None, "no such value", float("inf")):
        if feature.bounds is not None and value == "no such value":
            continue
        code = feature.encode(pd.Series([value], dtype=object)).tolist()[0]
        assert code == UNKNOWN or (value is None and feature.missing is not None)


def test_records_add_up_to_what_each_of_them_adds(feature):
    codes, labels = drawn(feature, 1)
    added = feature.added(codes)
    assert added.shape == (len(codes), feature.width)
    assert added.dtype == np.int64
    table = feature.tabulate(codes, labels, len(CLASSES))
    assert table.dtype == np.int64
    assert np.array_equal(table, [added[labels == label].sum(axis=0) for label in range(len(CLASSES))])


def test_no_records_add_up_to_nothing(feature):
    none = np.zeros(0, dtype=np.int32)
    assert not feature.tabulate(none, none.astype(np.int64), len(CLASSES)).any()


def test_sensitivities_are_what_trying_every_record_finds(feature):
    added, at = feature.added(every(feature)), 0
    for query in feature.queries:
        part = added[:, at : at + query.width]
        at += query.width
        assert ((part != 0).sum(axis=1) <= 1).all(), "a record moves one coordinate of a query"
        assert np.abs(part).max() == query.reach
        assert max(np.abs(a - b).max() for a, b in itertools.combinations(part, 2)) == query.span
        assert query.partition == bool((part.sum(axis=1) == 1).all() and (part >= 0).all())
    assert at == feature.width == len(feature.coordinates) == len(set(feature.coordinates))


def test_no_replaced_record_moves_further_than_one_of_the_options(feature):
    added = feature.added(every(feature))
    for a, b in itertools.product(added, repeat=2):
        moved = np.split(np.abs(a - b), np.cumsum([query.width for query in feature.queries])[:-1])
        assert any(
            all(part.max() <= by for part, by in zip(moved, option, strict=True))
            for option in feature.replaced
        )


@pytest.mark.parametrize("smoothing", [0.1, 1.0])
def test_estimates_are_finite_whatever_noise_did(feature, smoothing):
    rng = np.random.default_rng(2)
    sums = rng.normal(0, 1000, (50, len(CLASSES), feature.width)).round()
    counts = np.maximum(rng.normal(5, 20, (50, len(CLASSES))).round(), 0.0)
    parameters, defined = feature.estimate(sums, counts, smoothing)
    assert parameters.shape == defined.shape == sums.shape
    assert np.isfinite(parameters).all()
    assert not defined[counts < 1].any()
    scores = feature.log_density(parameters[..., None, :], every(feature))
    assert np.isfinite(scores).all()
    again = feature.normalised(parameters)
    assert np.allclose(again, parameters)


def test_densities_are_broadcast(feature):
    parameters, _ = estimated(feature, 3)
    table = feature.log_density(parameters, every(feature)[:, None])
    assert table.shape == (feature.size, len(CLASSES))
    for code, label in itertools.product(range(feature.size), range(len(CLASSES))):
        one = feature.log_density(parameters[label], np.array([code], dtype=np.int32))
        assert one.tolist() == [table[code, label]]
    own = feature.log_density(np.stack([parameters] * feature.size), every(feature)[:, None])
    assert np.array_equal(own, table)


def test_evidence_is_the_log_density_up_to_what_classes_share(feature):
    codes, _ = drawn(feature, 4)
    evidence = feature.evidence(codes)
    tables = np.stack([estimated(feature, seed)[0] for seed in range(3)])
    weights, constants = evidence.weights(tables)
    assert weights.shape == (*tables.shape[:-1], len(evidence.design))
    scores = weights @ evidence.design + constants[..., None]
    wanted = feature.log_density(tables[..., None, :], codes)
    shared = scores - wanted
    assert np.allclose(shared, shared[:, :1, :1])


def test_points_are_parameters_in_other_words(feature):
    parameters, counts = estimated(feature, 5)
    points = feature.points(parameters)
    assert points.shape == parameters.shape
    assert np.allclose(feature.parameters_at(points), parameters)
    if not refuses(feature, "legal", points):
        assert np.allclose(feature.legal(points), points)
    if not refuses(feature, "sums_of", parameters, counts, 0.5):
        sums = feature.sums_of(parameters, counts, 0.5)
        assert np.allclose(feature.estimate(sums, counts, 0.5)[0], parameters)
    if not refuses(feature, "product", [parameters], [1.0]):
        alone, mass = feature.product([parameters], [1.0])
        assert np.allclose(alone, parameters)
        assert np.allclose(mass, 0)


def rules(feature, cap):
    """The invariants of one class: its count, then the feature."""
    found = feature.invariants(0, 1, cap)
    parts = [tuple(rule for rule in found if isinstance(rule, kind)) for kind in (Range, Equality, Product)]
    return Validity(1 + feature.width, *parts)


def test_invariants_hold_for_records_and_bind_forgeries(feature):
    cap = 60
    codes, labels = drawn(feature, 6, cap)
    table = feature.tabulate(codes, labels, len(CLASSES))
    counts = np.bincount(labels, minlength=len(CLASSES))
    for row, count in zip(table, counts, strict=True):
        assert rules(feature, cap).broken(np.array([count, *row])) == ()
    # what records could have is left as it is
    left = feature.nearest_valid(table.astype(np.float64), counts.astype(np.float64), counts)
    assert np.array_equal(left, table)
    rng = np.random.default_rng(7)
    for _ in range(30):
        forged = rng.normal(0, 1000, table.shape)
        claimed, held = rng.uniform(0, 1000, len(CLASSES)), rng.integers(0, 20, len(CLASSES))
        for row, count in zip(feature.nearest_valid(forged, claimed, held), held, strict=True):
            assert rules(feature, cap).broken(np.array([count, *row])) == ()
        assert any(rules(feature, cap).broken(np.array([1, *row]).astype(np.int64)) for row in forged)


def test_records_are_closest_to_themselves(feature):
    added = feature.added(every(feature)).astype(np.float64)
    assert feature.closest(added).tolist() == every(feature).tolist()


def test_codes_drawn_from_a_model_are_codes(feature):
    parameters, _ = estimated(feature, 8)
    codes = feature.draw(parameters[0], 500, np.random.default_rng(9))
    assert codes.dtype == np.int32
    assert set(codes.tolist()) <= set(every(feature).tolist())
    assert len(feature.describe(parameters)) == len(CLASSES)


def test_a_certificate_covers_records_that_are_all_alike_or_refuses(feature):
    codes, labels = drawn(feature, 10)
    sums, count = feature.tabulate(codes, labels, len(CLASSES))[0], int((labels == 0).sum())
    if not has_reach(feature):
        assert feature.kind == "bernoulli"
        with pytest.raises(ValueError, match="'f' is of the kind 'bernoulli', which cannot be certified"):
            reach(feature, Held(count, sums, 1.0))
        return
    held = reach(feature, Held(count, sums, 1.0))
    codes = every(feature)[:: max(1, len(every(feature)) // 8)]
    for added, code, placed in itertools.product((0, 1, 5, 50), codes, codes):
        least, most = held.bounds(np.array([[float(code)]]), np.array([[float(added)]]))
        more = sums + added * feature.added(np.array([placed], dtype=np.int32))
        parameters, _ = feature.estimate(more.astype(np.float64), np.array([float(count + added)]), 1.0)
        found = feature.log_density(parameters, np.array([code], dtype=np.int32))
        assert least - 1e-9 <= found <= most + 1e-9


def test_a_schema_file_says_all_of_it(feature):
    schema = Schema(CLASSES, (feature,))
    entry = schema_to_dict(schema)["features"][0]
    assert entry["kind"] == feature.kind
    assert schema_from_dict(schema_to_dict(schema)) == schema
    assert schema_from_dict(schema_to_dict(schema)).digest == schema.digest
    with pytest.raises(ValueError, match=f"{feature.kind}.colour"):
        schema_from_dict({**schema_to_dict(schema), "features": [{**entry, "colour": "red"}]})
    with pytest.raises(ValueError, match=f"{feature.kind}.name"):
        schema_from_dict({**schema_to_dict(schema), "features": [{"kind": feature.kind}]})


def test_no_two_features_have_one_digest():
    made = [FEATURES[name.split()[0]](**fields) for name, fields in EXAMPLES.items()]
    assert len({Schema(CLASSES, (feature,)).digest for feature in made}) == len(made)


def test_statistics_add(feature):
    schema = Schema(CLASSES, (feature,))
    codes, labels = drawn(feature, 11)
    records = Records(codes[:, None], labels.astype(np.int32))
    assert Statistics.of(schema, records[:20]) + Statistics.of(schema, records[20:]) == Statistics.of(
        schema, records
    )


CONCRETE = re.compile(
    r"isinstance\(.*\b(Numeric|Binned|Categorical|Levelled)\b|block\.kind (==|!=|in|not in) "
)
GAUSSIAN_BY_NATURE = {
    "attacks/poisons/variance_explosion.py",
    "attacks/poisons/worst_records.py",
    "attacks/toolkit/descent.py",
    "securenb/robust/rules/public_records.py",  # a number has the weight that Gaussians give it
}


def test_nothing_outside_its_file_asks_of_which_kind_a_feature_is():
    root = Path(__file__).resolve().parents[2]
    asking = {
        str(path.relative_to(root))
        for folder in ("securenb", "attacks")
        for path in (root / folder).rglob("*.py")
        if CONCRETE.search(path.read_text())
    }
    # the paper has numbers and levels, and nothing else
    assert {name for name in asking if not name.startswith("securenb/paper/")} == GAUSSIAN_BY_NATURE


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e4, 1e12])
def test_shrunk_sums_become_parameters_and_stay_where_there_is_hardly_noise(feature, spread):
    sums, counts = drawn_sums(feature, 5)
    noise = np.full(feature.width, spread)
    rng = np.random.default_rng(6)
    noisy = sums + np.sqrt(spread) * rng.laplace(size=(20, *sums.shape))
    shrunk = feature.shrunk(noisy, counts, noise)
    assert shrunk.shape == noisy.shape
    table, _ = feature.estimate(shrunk, counts, 1.0)
    assert np.isfinite(table).all()
    for code in range(feature.size):
        assert np.isfinite(feature.log_density(table, np.int32(code))).all()
    if spread < 1:
        assert np.allclose(shrunk, noisy, atol=0.1)
