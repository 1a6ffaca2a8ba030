"""Attacks of the literature do what their papers say, with whole numbers of records."""

import numpy as np
import pytest

from attacks.checks import SCHEMA, records_of
from attacks.poison import Knowledge, choose_poison
from attacks.toolkit.forging import honest_points, point_among, towards_flip
from attacks.toolkit.rehearsal import Rehearsal
from securenb.robust.distances import squared_distances
from securenb.robust.points import stabilised
from securenb.robust.spec import choose_rule
from securenb.schema.statistics import Statistics

DIRECTIONS = ("flip", "unit", "std", "sign")


def known(seed, nodes=14, malicious=4, records=60, rule="median"):
    tables = np.array(
        [Statistics.of(SCHEMA, records_of(1000 * seed + i, records)).table for i in range(nodes)]
    )
    return Knowledge(SCHEMA, tables[:malicious], tables[malicious:], choose_rule(rule), 1, records)


@pytest.mark.parametrize(("name", "remoteness"), [("min_max", np.max), ("min_sum", np.sum)])
@pytest.mark.parametrize("inside", ["", ":inside"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_is_sent_is_no_more_remote_than_an_honest_node(name, remoteness, inside, direction):
    for seed, records in enumerate((3, 5, 8, 12, 30, 60, 400)):
        knowledge = known(seed, records=records)
        smoothing = knowledge.smoothing
        points = honest_points(SCHEMA, knowledge.others, smoothing)
        limit = max(map(remoteness, squared_distances(points)))
        for table in choose_poison(f"{name}(direction={direction}){inside}").sent(
            knowledge, np.random.default_rng(seed)
        ):
            point = point_among(SCHEMA, table, smoothing, points)
            assert remoteness(np.square(points - point).sum(axis=1)) <= limit * (1 + 1e-9)


def test_a_direction_that_is_none_is_refused_by_name():
    with pytest.raises(ValueError, match=r"unknown direction 'left'; known: flip, unit, std, sign"):
        choose_poison("min_max(direction=left)")


def test_against_krum_fang_is_selected_and_against_a_median_goes_beyond_the_honest():
    knowledge = known(1, nodes=20, malicious=6, rule="krum")
    (table, *_) = choose_poison("fang").sent(knowledge, np.random.default_rng(0))
    points = honest_points(SCHEMA, knowledge.others, knowledge.smoothing)
    point = point_among(SCHEMA, table, knowledge.smoothing, points)
    every = np.concatenate([points, np.repeat(point[None], 6, axis=0)])
    scores = np.sort(squared_distances(every), axis=1)[:, 1:13].sum(axis=1)
    assert np.argmin(scores) >= len(points)
    sent = choose_poison("fang").sent(known(1, nodes=20, malicious=6), np.random.default_rng(0))
    assert len({table.tobytes() for table in sent}) == 6


def test_bilevel_flips_labels_and_nothing_else():
    knowledge = known(2)
    sent = choose_poison("label_flip_bilevel").sent(knowledge, np.random.default_rng(0))
    for own, forged in zip(knowledge.own, sent, strict=True):
        assert forged[:, 0].sum() == own[:, 0].sum()
    assert any(not np.array_equal(own, forged) for own, forged in zip(knowledge.own, sent, strict=True))


def test_tailored_to_krum_carries_it_farther_than_not_knowing_the_rule():
    knowledge = known(3, nodes=20, malicious=6, rule="krum")
    middle, towards = towards_flip(SCHEMA, knowledge.others, knowledge.smoothing)
    rehearsal = Rehearsal(knowledge, 50, 1, np.random.default_rng(0))

    def carried(name):
        (model,) = rehearsal.models(choose_poison(name).sent(knowledge, np.random.default_rng(0)))
        return (stabilised(model.parameters).values.reshape(-1) - middle) @ towards

    assert carried("agr_tailored") >= carried("min_max")
    assert carried("agr_tailored") > carried("zero")
