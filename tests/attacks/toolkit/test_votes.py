"""What malicious nodes reckon about a row of increments: rates, slopes, and what proofs accept."""

import numpy as np
import pytest

from attacks.poison import Knowledge, choose_poison
from attacks.sweeps.certainty import surely
from attacks.toolkit.votes import VoteGame
from protocols.schemes.verified import Verified
from securenb.bayes.staircase.model import StaircaseModel
from securenb.federation.federation import Federation
from securenb.privacy.spec import choose_mechanism
from securenb.robust.rules.staircase import Staircase
from securenb.schema.features import Categorical
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y", "z")), Categorical("d", ("u", "v"))))
NODES, BAD, QUOTA = 40, 18, 30


def drawn(rng, count=60):
    labels = np.repeat([0, 1], count // 2).astype(np.int32)
    codes = [(labels + rng.integers(0, 2, count)) % 3, labels ^ (rng.random(count) < 0.3)]
    return Records(np.column_stack(codes).astype(np.int32), labels)


def known(epsilon="8", seed=1):
    rng = np.random.default_rng(seed)
    rule = Staircase(quota=QUOTA, nodes=NODES)
    federation = Federation(
        SCHEMA, Verified(1), choose_mechanism("discrete_laplace", epsilon, None), rule, seed=3, proven=True
    )
    tables = np.array([Statistics.of(SCHEMA, drawn(rng)).table for _ in range(NODES)])
    records = drawn(rng, 400)
    own, others = tables[:BAD], tables[BAD:]
    return Knowledge(SCHEMA, own, others, rule, NODES, QUOTA, NODES, records, federation.noise)


def game(knowledge, seed=2):
    layout = knowledge.noise.schema
    return VoteGame.of(knowledge, layout, knowledge.rule.tolerate, 3, np.random.default_rng(seed))


def test_log_rates_are_those_of_the_model_that_the_row_makes():
    knowledge = known("none")
    played = game(knowledge)
    layout = knowledge.noise.schema
    table = np.random.default_rng(4).integers(0, played.full.astype(np.int64) + 1)
    row = sum(layout.expanded(each) for each in knowledge.others) + BAD * table
    model = StaircaseModel(layout, row, NODES, knowledge.rule.tolerate)
    logs = played.logs(table.astype(np.float64))[0]
    assert np.allclose(logs[:, 1:], np.log(model.parameters.table[:, 1:]))


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_wanted_what_is_sent_is_accepted(seed):
    knowledge, rng = known(), np.random.default_rng(seed)
    played, layout = game(knowledge), knowledge.noise.schema
    gains = rng.normal(size=played.shape)
    for wanted in (played.filled(gains), played.nearest(played.full * (rng.random(played.shape) < 0.5))):
        sent = played.accepted(wanted, gains)
        assert layout.validity(QUOTA).broken(sent.reshape(-1)) == ()
        assert (sent >= np.floor(wanted + 1e-9)).all()


def test_the_attack_is_accepted_hurts_and_stays_in_its_box():
    knowledge = known()
    layout = knowledge.noise.schema
    sent = choose_poison("increments:inside").sent(knowledge, np.random.default_rng(5))
    assert len(sent) == BAD
    assert all(layout.validity(QUOTA).broken(table.reshape(-1)) == () for table in sent)
    played, test = game(knowledge, 9), drawn(np.random.default_rng(6), 2000)

    def scores(table):
        found = []
        for logs in played.logs(table):
            total = np.zeros((len(test), 2))
            for columns, levels in zip(SCHEMA.columns, test.codes.T, strict=True):
                total += logs[:, columns][:, levels].T
            found.append(total)
        return found

    silent, attacked, full = (scores(each) for each in (0 * played.full, sent[0].astype(float), played.full))
    worse = 0.0
    for least, under, most in zip(silent, attacked, full, strict=True):
        certified, right = surely(least, most, test.labels), surely(under, under, test.labels)
        assert certified <= right
        assert (under >= least - 1e-9).all()
        assert (under <= most + 1e-9).all()
        worse += surely(least, least, test.labels) - right
    assert worse > 0
