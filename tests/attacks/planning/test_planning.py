"""What `securenb plan` recommends: it runs, it is foretold rightly, and it keeps what it says."""

import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attacks.planning.answer import answer
from attacks.planning.carrier import carriers
from attacks.planning.design import Design, designs
from attacks.planning.forecast import Forecast
from attacks.planning.noise import legible
from attacks.planning.population import Population
from attacks.planning.wishes import Wishes
from attacks.prove.finding import Verdict
from attacks.prove.question import Question
from attacks.prove.search import prove
from protocols.protocol import PROTOCOLS
from securenb.cli.main import MISTAKE, main
from securenb.experiments.scale import scale
from securenb.experiments.scenario import Scenario

PLAIN_SUM = Design("unchecked", "sum", None, "discrete_laplace", "gaussian")


def wishes(**given):
    return Wishes.checked(**{"dataset": "phishing", "nodes": 12, "epsilon": 1} | given)


def carried(design=PLAIN_SUM, **given):
    asked = wishes(**given)
    return carriers(design, Population(asked).schema("gaussian"), asked, 100)


@pytest.fixture(scope="module")
def planned():
    return answer(wishes(server="semi-honest"))


def test_rounds_to_come_lie_where_they_were_foretold(planned):
    low, high = planned.forecast.interval
    assert 0 < high - low < 0.2
    scores = []
    for seed in range(1000, 1040):
        scenario = Scenario.checked(
            dataset="phishing", nodes=12, epsilon=1, protocol="secagg(profile=semi-honest)", colluding=1,
            threshold=planned.carrier.threshold, seed=seed, mechanism=planned.design.mechanism,
        )  # fmt: skip
        data = scenario.load()
        round_ = scenario.federation(data).run(scenario.deal(data), by="ideal")
        scores.append(round_.model.balanced_score(data.test))
    held = np.mean([low <= score <= high for score in scores])
    assert held >= 0.85  # 95 % of 40; fewer than 34 have a probability of 3e-4
    assert abs(np.mean(scores) - planned.forecast.mean) < 0.03


def test_the_interval_is_that_of_one_round_to_come():
    few = Forecast(PLAIN_SUM, {"none": (0.8, 0.82, 0.84)}, 100, fresh=False)
    half = 4.302652729911275 * 0.02 * (4 / 3) ** 0.5
    assert few.interval == pytest.approx((0.82 - half, 0.82 + half))
    low, high = replace(few, fresh=True).interval
    assert low < 0.82 - half < 0.82 + half < high


def test_the_worst_attack_is_the_one_foretold():
    found = Forecast(PLAIN_SUM, {"a": (0.9, 0.9), "b": (0.3, 0.4)}, 100, fresh=False)
    assert found.worst == "b"
    assert found.mean == pytest.approx(0.35)


def test_the_command_that_it_prints_runs(planned, capsys):
    words = shlex.split(planned.command)
    assert words[0] == "securenb"
    assert main([*words[1:], "--seed", "3"]) == 0
    assert "secagg" in capsys.readouterr().out


def test_where_nodes_may_lie_it_is_foretold_under_attack_and_the_attack_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = answer(wishes(nodes=20, malicious=0.2, trials=3))
    assert found.forecast.worst != "none"
    assert found.design.inputs == "verified" or found.design.group_size is not None
    words = shlex.split(found.attack)
    assert main([*words[1:], "--trials", "1", "--jobs", "1"]) == 0
    measured = pd.read_csv("runs/planned/results.csv")
    assert set(measured["attack"]) >= set(found.design.attacks)


def test_a_malicious_server_gets_no_sum_that_only_binds_a_semi_honest_one():
    found, others, refused = carried(server="malicious")
    specs = {each.spec for each in found} | set(others)
    assert not any("semi-honest" in spec for spec in specs)
    assert {"paillier", "plain", "gossip"} <= set(refused)
    semi_honest, _, _ = carried(server="semi-honest")
    assert semi_honest[0].received < found[0].received


def test_sums_that_one_silent_node_ends_are_taken_only_where_none_is():
    assert "masking" in carried(server="semi-honest")[2]
    assert "masking" in {each.spec for each in carried(server="semi-honest", silent=0)[0]}


@pytest.mark.parametrize("colluding", [1, 3, 5])
def test_no_sum_is_recommended_that_so_many_colluding_nodes_break(colluding):
    found, others, _ = carried(colluding=colluding, nodes=9, silent=0.2)
    for spec in [each.spec for each in found] + list(others):
        protocol = PROTOCOLS.build(spec, threshold=8)
        assert protocol.keeps_from(9, malicious=True) >= colluding


@pytest.mark.parametrize(("nodes", "threshold"), [(4, 3), (6, 5), (7, 5)])
def test_what_secagg_says_it_keeps_vectors_from_no_search_breaks(nodes, threshold):
    protocol = PROTOCOLS.build("secagg", threshold=threshold)
    kept = protocol.keeps_from(nodes, malicious=True)
    question = Question("secagg", nodes, threshold, kept, seconds=20)
    assert prove(question).verdict is Verdict.INFEASIBLE


@pytest.mark.parametrize("name", ["secagg", "secagg_plus"])
def test_costs_of_many_nodes_are_projected_from_few(name):
    found, _, _ = carried(nodes=70, silent=0.1)
    asked = {each.spec.partition("(")[0]: each for each in found}
    cost = asked[name]
    spec = PROTOCOLS.build(cost.spec)
    length = Population(wishes(nodes=70)).schema("gaussian").length
    truth = scale(name, spec, [70], length, 7).iloc[0]
    assert cost.projected
    assert cost.sent == pytest.approx(truth["sent"], rel=0.15)
    assert cost.received == pytest.approx(truth["received"], rel=0.15)
    assert cost.messages == truth["rounds"]


def schema_file(folder):
    path = folder / "schema.toml"
    path.write_text(
        'label = "ill"\nclasses = ["no", "yes"]\n\n'
        '[[features]]\nkind = "categorical"\nname = "smoker"\nlevels = ["no", "yes"]\n\n'
        '[[features]]\nkind = "categorical"\nname = "blood"\nlevels = ["A", "B", "AB", "0"]\n'
    )
    return path


def test_from_a_schema_alone_nothing_is_foretold_but_the_noise(tmp_path, capsys):
    path = schema_file(tmp_path)
    words = ["plan", str(path), "--nodes", "20", "--records", "100", "--epsilon", "1", "--colluding", "2"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "not foretold" in said
    assert "stand out" in said


def test_more_noise_hides_larger_shares(tmp_path):
    path = str(schema_file(tmp_path))
    shares = []
    for epsilon in (3, 1, 0.1):
        asked = Wishes.checked(dataset=path, nodes=20, records=100, epsilon=epsilon)
        shares.append(legible(PLAIN_SUM, Population(asked).schema("gaussian"), asked, 100).smallest)
    assert shares == sorted(shares)
    assert shares[2] == pytest.approx(10 * shares[1], rel=0.05)


def test_public_records_of_a_schema_foretell_rounds_over_other_records(tmp_path):
    path, rng = schema_file(tmp_path), np.random.default_rng(5)

    def people(count):
        ill = rng.random(count) < 0.4
        smoker = rng.random(count) < np.where(ill, 0.8, 0.2)
        blood = rng.choice(["A", "B", "AB", "0"], count)
        spelled = {True: "yes", False: "no"}
        return pd.DataFrame(
            {"smoker": map(spelled.get, smoker), "blood": blood, "ill": map(spelled.get, ill)}
        )

    people(300).to_csv(tmp_path / "public.csv", index=False)
    people(2000).to_csv(tmp_path / "private.csv", index=False)
    people(2000).to_csv(tmp_path / "test.csv", index=False)
    found = answer(
        Wishes.checked(
            dataset=str(path), public=str(tmp_path / "public.csv"), nodes=20, records=100, epsilon=1
        )
    )
    low, high = found.forecast.interval
    scenario = Scenario.checked(
        dataset=str(tmp_path / "private.csv"), schema_file=str(path), test_file=str(tmp_path / "test.csv"),
        nodes=20, epsilon=1, protocol="secagg", colluding=1, threshold=18, seed=1,
    )  # fmt: skip
    data = scenario.load()
    round_ = scenario.federation(data).run(scenario.deal(data), by="ideal")
    assert low <= round_.model.balanced_score(data.test) <= high


def test_designs_need_public_records_only_where_a_rule_does(tmp_path):
    asked = Wishes.checked(dataset=str(schema_file(tmp_path)), nodes=40, records=50, epsilon=1, malicious=0.2)
    assert "calibrated_sum" not in {design.rule for design in designs(Population(asked))}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["phishing", "--nodes", "12"], "--epsilon"),
        (["phishing", "--nodes", "2", "--epsilon", "1"], "nodes"),
        (["phishing", "--nodes", "12", "--epsilon", "-1"], "epsilon"),
        (["phishing", "--nodes", "12", "--epsilon", "1", "--malicious", "0.5"], "malicious"),
        (["phishing", "--nodes", "12", "--epsilon", "1", "--malicious", "nan"], "malicious"),
        (["phishing", "--nodes", "12", "--epsilon", "1", "--server", "honest"], "--server"),
        (["phishing", "--nodes", "12", "--epsilon", "1", "--colluding", "11"], "colluding"),
        (["phishing", "--nodes", "12", "--epsilon", "1", "--records", "5"], "records"),
        (["phishing", "--nodes", "12", "--epsilon", "1", "--public", "x.csv"], "public"),
        (["nosuch", "--nodes", "12", "--epsilon", "1"], "nosuch"),
        (["nosuch.toml", "--nodes", "12", "--epsilon", "1", "--records", "9"], "nosuch.toml"),
        (["nosuch.toml", "--nodes", "12", "--epsilon", "1"], "records"),
    ],
)
def test_what_cannot_be_answered_is_one_line(words, named, capsys):
    assert main(["plan", *words]) == MISTAKE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert named in said
