"""A trusted curator adds one whole dose to each opened row, and nodes none."""

from fractions import Fraction

import numpy as np
import pytest

from attacks.audit.federation_target import FederationTarget
from attacks.audit.run import run_audit
from attacks.inference import look
from protocols.schemes.gossip import Gossip
from protocols.schemes.masking import Masking
from protocols.schemes.plain import Plain
from protocols.schemes.verified import Verified
from securenb.cli.main import main
from securenb.data.node import Node
from securenb.deploy.round_choices import RoundChoices
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import WholeDoses
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.k_norm import KNorm
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("sex", ("f", "m")), Numeric("size", 0, 2, steps=8)))


def nodes(count=6):
    rng = np.random.default_rng(0)
    return [
        Node(
            f"node-{at}",
            Records(
                rng.integers((2, 9), size=(8, 2)).astype(np.int32), rng.integers(2, size=8).astype(np.int32)
            ),
        )
        for at in range(count)
    ]


def federation(protocol=None, mechanism=None, **choices):
    return Federation(
        SCHEMA, protocol or Plain(), mechanism or KNorm(Fraction(1)), Sum(), seed=1, curator=True, **choices
    )


@pytest.mark.parametrize("by", ["messages", "ideal"])
@pytest.mark.parametrize("protocol", [Plain(), Masking()])
def test_each_row_carries_one_dose_and_is_the_only_thing_that_is_charged(protocol, by):
    choice = federation(protocol, group_size=3)
    noised = choice.run(nodes(), by=by)
    bare = Federation(SCHEMA, protocol, NoNoise(), Sum(), group_size=3, seed=1).run(nodes(), by=by)
    assert noised.opened.members == bare.opened.members
    noise = noised.opened.rows - bare.opened.rows
    assert (np.count_nonzero(noise, axis=1) > SCHEMA.length / 2).all()
    assert not np.array_equal(noise[0], noise[1])
    assert [release.seen for release in noised.ledger.releases] == ["row", "row"]
    assert noised.ledger.epsilon("add-remove") == 1
    assert "it is trusted, and adds the dose" in noised.learned


def test_both_ways_to_run_a_round_add_the_same_dose():
    one, other = (federation(Masking()).run(nodes(), by=by) for by in ("messages", "ideal"))
    assert one.digests() == other.digests()


def test_a_curator_serves_any_mechanism():
    laplace = federation(mechanism=DiscreteLaplace(Fraction(1))).run(nodes(), by="ideal")
    assert laplace.ledger.epsilon("replace-one") == 2


def test_what_a_curator_cannot_protect_is_refused():
    with pytest.raises(ValueError, match="a curator's noise comes too late"):
        federation(Gossip())
    with pytest.raises(ValueError, match="2 of them cannot tell it"):
        federation(colluding=2)
    with pytest.raises(ValueError, match="100 witnesses would show nothing"):
        federation(mechanism=DiscreteLaplace(Fraction(1)), witnesses=100)
    with pytest.raises(ValueError, match="need no curator"):
        federation(Verified(), proven=True, record_cap=20)
    choices = {"protocol": "secagg", "epsilon": "1", "curator": True}
    with pytest.raises(ValueError, match="curator: sites send nothing that carries no noise"):
        RoundChoices.checked(**choices)


def target(**choices):
    return FederationTarget(federation(**choices), nodes(), epsilon=Fraction(1))


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_an_audit_finds_nothing_wrong(adjacency):
    audit = run_audit(target(), adjacency, ["L0", "L1"], seed=1)
    assert audit.verdict == "PASS", audit.conclusion()


def no_dose(self, aggregator, session, group):
    return np.zeros(self.schema.length, dtype=np.int64)


def one_dose_for_all_groups(self, aggregator, session, group):
    return self.mechanism.share(self.schema, 1, self.sources(aggregator))


@pytest.mark.parametrize("wrong", [no_dose, one_dose_for_all_groups])
def test_an_audit_finds_what_is_wrong_with_the_dose(wrong, monkeypatch):
    monkeypatch.setattr(WholeDoses, "dose", wrong)
    assert run_audit(target(group_size=3), "add-remove", ["L1"], seed=1).verdict == "FAIL"


@pytest.mark.parametrize("choices", [{"curator": True}, {"proven": True, "record_cap": 20}])
def test_an_adversary_sees_rows_with_the_doses_of_aggregators(choices):
    protocol = Verified() if "proven" in choices else Plain()
    choice = Federation(SCHEMA, protocol, KNorm(Fraction(1)), Sum(), **choices)
    view = look(choice, nodes(), seed=3)
    exact = sum(node.statistics(SCHEMA).table for node in nodes())
    assert view.members == (tuple(sorted(node.id for node in nodes())),) or len(view.members) == 1
    assert not np.array_equal(view.rows[0], exact)
    doses = 1 if "curator" in choices else 2
    first = choice.mechanism.noise(SCHEMA, SCHEMA.blocks[0], 1, doses).spread()
    assert view.noise[0, 0] == pytest.approx(first)


def test_the_option_says_who_is_trusted(capsys):
    choices = [
        "train",
        "breast_cancer",
        "--epsilon",
        "1",
        "--mechanism",
        "k_norm",
        "--nodes",
        "6",
        "--seed",
        "1",
    ]
    assert main([*choices, "--protocol", "plain", "--curator"]) == 0
    printed = capsys.readouterr().out
    assert "without noise: it is trusted, and adds the dose" in printed
    assert "one share of a dose" not in printed
    assert main([*choices, "--protocol", "plain"]) == 2
    assert "(curator)" in capsys.readouterr().err
