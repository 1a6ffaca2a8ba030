"""A search finds what is worse, the same again for the same effort, and keeps it to be replayed."""

import json

import numpy as np
import pytest

from attacks.checks import SCHEMA, known
from attacks.poison import Knowledge, choose_poison
from attacks.search import QUICK, searched
from attacks.sweeps.poisoning_grid import AttackGrid
from attacks.sweeps.searching import search_grid, settings
from attacks.toolkit.kept import keep, kept_in
from attacks.toolkit.rehearsal import Rehearsal
from securenb.cli.main import main
from securenb.experiments.checked import checked
from securenb.robust.spec import choose_rule
from securenb.schema.features import Categorical
from securenb.schema.invariants import invariants
from securenb.schema.schema import Schema


def knowledge(rule="median", inside_cap=60):
    return [known(seed, rule=rule) for seed in (1, 2)]


@pytest.fixture(scope="module")
def found():
    return searched(knowledge(), inside=True, seed=3, evaluations=24)


def test_the_same_effort_finds_the_same(found):
    again = searched(knowledge(), inside=True, seed=3, evaluations=24)
    assert np.array_equal(found.tables, again.tables)
    assert (found.score, found.evaluations, found.began) == (again.score, again.evaluations, again.began)


def test_it_is_no_better_than_what_it_begins_with_and_stays_inside(found):
    stages = [Rehearsal(k, 1500, 2, np.random.default_rng(0)) for k in knowledge()]
    for name in QUICK[:3]:
        sent = choose_poison(f"{name}:inside").sent(knowledge()[0], np.random.default_rng(0))
        assert found.score <= np.mean([stage.score(sent) for stage in stages]) + 0.05
    for table in found.tables:
        assert invariants(SCHEMA, 60).broken(table.reshape(-1)) == ()


def test_time_is_kept_by_the_clock_that_it_is_given():
    ticks = iter(range(10_000))
    kept = searched(knowledge(), inside=True, seed=3, seconds=12, clock=lambda: next(ticks))
    assert kept.evaluations < 40


def test_what_was_found_is_replayed_from_its_file(found, tmp_path):
    path = tmp_path / "a.found.json"
    keep(path, SCHEMA.digest, [found])
    digest, (kept,) = kept_in(str(path))
    assert digest == SCHEMA.digest.hex()
    assert np.array_equal(kept.tables, found.tables)
    sent = choose_poison(f'found(path="{path}"):inside').sent(known(5), np.random.default_rng(0))
    assert len(sent) == 3
    assert all(np.array_equal(table, kept.tables[i % len(kept.tables)]) for i, table in enumerate(sent))


def test_a_file_of_another_kind_or_schema_is_refused_by_name(found, tmp_path):
    path = tmp_path / "a.json"
    for text in ("", "[]", "{}", '{"format": "other"}', "null", "x"):
        path.write_text(text)
        kept_in.cache_clear()
        with pytest.raises(ValueError, match="holds no attack"):
            kept_in(str(path))
    with pytest.raises(ValueError, match="cannot read .*: No such file"):
        kept_in(str(tmp_path / "none.json"))
    keep(path, SCHEMA.digest, [found])
    kept_in.cache_clear()
    other = Schema(("a", "b", "c"), (Categorical("c", ("x", "y")),))
    tables = np.zeros((2, 3, other.width), dtype=np.int64)
    some = Knowledge(other, tables, tables, choose_rule("sum"), 1, 60)
    with pytest.raises(ValueError, match="another schema"):
        choose_poison(f'found(path="{path}")').sent(some, np.random.default_rng(0))


def grid(**more):
    base = {"dataset": "phishing", "nodes": 12, "rules": ["median", "sum"], "attacks": "label_flip"}
    return checked(AttackGrid, **base | {"malicious": [0, 0.25], "trials": 1, "epsilon": "none"} | more)


def test_every_setting_and_rule_is_searched_once():
    assert [rule for _, rule in settings(grid(trials=3))] == ["median", "sum"]
    assert len(settings(grid(malicious=[0.25, 0.4], group_size=[1, 3]))) == 8
    assert settings(grid(malicious=0.0)) == []


@pytest.mark.parametrize(
    ("choices", "seconds", "said"),
    [
        ({"malicious": 0.0}, 60, "give --malicious shares above 0"),
        ({}, 0.5, "give at least 2"),
        ({}, float("nan"), "a finite number"),
        ({}, float("inf"), "a finite number"),
        ({"dataset": ["phishing", "digits"]}, 60, "give one data set"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(choices, seconds, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        search_grid(grid(**choices), seconds, tmp_path / "x.json")


def test_the_command_searches_keeps_and_replays(tmp_path, capsys):
    words = (
        "attack phishing --nodes 12 --rules median --attacks label_flip --malicious 0.25 --trials 1 --jobs 1 "
        "--epsilon none"
    )
    first, second = tmp_path / "a", tmp_path / "b"
    assert main([*words.split(), "--search-seconds", "1", "--out", str(first), "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)
    kept = tmp_path / "a.found.json"
    assert kept.exists()
    assert main([*words.split(), "--replay", str(kept), "--out", str(second), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == lines
    assert main([*words.split(), "--replay", str(tmp_path / "c"), "--out", str(tmp_path / "d")]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert main([*words.split(), "--replay", str(kept), "--search-seconds", "9", "--out", str(second)]) == 2
    assert "give one of them" in capsys.readouterr().err
