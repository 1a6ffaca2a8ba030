"""The law of boxes against enumeration and rationals, and both samplers against the law.

Each chi-square test below fails by chance with probability 1e-6, and its seed is fixed.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from protocols.entropy import seeded
from securenb.privacy import box as boxes
from securenb.privacy.box import Box, exceeded, radius
from securenb.privacy.samplers import ExactNoise, FastNoise

FALSE_ALARM = 1e-6

SMALL = Box(Fraction(1), 1, (3,))
SHAPES = [(0, ()), (0, (2,)), (2, ()), (1, (3,)), (2, (1, 2))]


def members(pairs, reaches, r):
    """Every point of the box of radius r, by trying all."""
    axes = [range(-r, r + 1)] * (1 + pairs) + [range(-r * reach, r * reach + 1) for reach in reaches]
    return [x for x in itertools.product(*axes) if all((z - x[0]) % 2 == 0 for z in x[1 : 1 + pairs])]


def least_box(box, x):
    """The radius of the least box that holds a point."""
    scaled = [abs(v) for v in x[: 1 + box.pairs]]
    scaled += [-(-abs(v) // reach) for v, reach in zip(x[1 + box.pairs :], box.reaches, strict=True)]
    return max(scaled)


def cells(pairs, x):
    levels = [half for z in x[1 : 1 + pairs] for half in ((x[0] - z) // 2, (x[0] + z) // 2)]
    return (x[0], *levels, *x[1 + pairs :])


ONE = 1 << 700
"""Of the fixed-point numbers below, which are rounded down and up."""


def powers_between(epsilon, count):
    """exp(-epsilon · i) for i = 0, 1, …, in multiples of 1 / ONE, from below and above."""
    total, term, sums = Fraction(0), Fraction(1), []  # of the alternating series
    for k in range(1, 150):
        total += term
        sums.append(total)
        term *= -epsilon / k
    low, high = sorted(sums[-2:])
    ends = [[ONE], [ONE]]
    q = math.floor(low * ONE), math.ceil(high * ONE)
    for _ in range(count):
        ends[0].append(ends[0][-1] * q[0] // ONE)
        ends[1].append(-(-ends[1][-1] * q[1] // ONE))
    return ends


def exceeded_between(box, r, far=700):
    """Rationals on both sides of P(radius > r), by adding up; the rest is a geometric series at most."""
    lows, highs = powers_between(box.epsilon, far)
    low = [p * box.points(i) for i, p in enumerate(lows)]
    high = [p * box.points(i) for i, p in enumerate(highs)]
    ratio = Fraction(highs[1], ONE) * Fraction(box.points(far + 1), box.points(far))
    rest = math.ceil(high[-1] * ratio / (1 - ratio))
    above = sum(low[r + 1 :]), sum(high[r + 1 :]) + rest
    below = sum(low[: r + 1]), sum(high[: r + 1])
    return Fraction(above[0], above[0] + below[1]), Fraction(above[1], above[1] + below[0])


@pytest.mark.parametrize(("pairs", "reaches"), SHAPES)
def test_a_box_has_as_many_points_as_are_found_by_trying(pairs, reaches):
    box = Box(Fraction(1), pairs, reaches)
    assert box.dimension == 1 + pairs + len(reaches)
    for r in range(4 if box.dimension < 5 else 3):
        assert box.points(r) == len(members(pairs, reaches, r))


@pytest.mark.parametrize(("pairs", "reaches"), SHAPES)
def test_a_point_is_as_likely_as_its_least_box_says(pairs, reaches):
    """Σ over radii of P(radius) / points, against exp(-epsilon · least box), in exact rationals of any q."""
    box, q, most = Box(Fraction(1), pairs, reaches), Fraction(2, 5), 400
    total = sum(q**r * box.points(r) for r in range(most))
    for x in members(pairs, reaches, 2)[::7]:
        n = least_box(box, x)
        mixture = sum(q**r for r in range(n, most)) / total
        expected = q**n / ((1 - q) * total)
        assert abs(mixture / expected - 1) < Fraction(1, 10**100)


@pytest.mark.parametrize("box", [SMALL, Box(Fraction(3, 2), 2, (1, 2)), Box(Fraction(1, 2), 0, (7,))])
@pytest.mark.parametrize("bits", [128, 256])
def test_bounds_on_radii_hold_against_rationals(box, bits):
    scale = 1 << bits
    for r in (0, 1, 4, 11):
        low, high = exceeded_between(box, r)
        assert high - low < Fraction(1, 2**300)
        below, above = exceeded(box, r, bits)
        assert below <= high * scale
        assert above >= low * scale
        assert 0 <= above - below <= 2


def script(number, bits):
    """Words that spell a number, and then nothing."""
    text = int(number).to_bytes(bits // 8, "big")
    at = [0]

    def word(size):
        piece = text[at[0] : at[0] + size]
        assert len(piece) == size, "more random bits than are needed"
        at[0] += size
        return int.from_bytes(piece, "big")

    return word, at


@pytest.mark.parametrize("r", [0, 1, 3, 9])
def test_a_radius_changes_just_where_the_rationals_say(r):
    low, high = exceeded_between(SMALL, r)
    edge = math.floor(low * 2**128)
    assert edge == math.floor(high * 2**128)
    # T ≥ P(radius > r) gives at most r; the first 128 bits do not settle it within one unit of the edge
    assert radius(SMALL, script(edge + 2, 128)[0]) == r
    assert radius(SMALL, script(edge - 2, 128)[0]) == r + 1


def test_more_bits_are_drawn_where_the_first_do_not_settle_it_and_then_they_do():
    for r in (0, 2, 5):
        low, high = exceeded_between(SMALL, r)
        edge = math.floor(low * 2**256)
        assert edge == math.floor(high * 2**256)
        for off, expected in ((2, r), (-2, r + 1)):
            word, at = script(edge + off, 256)
            assert radius(SMALL, word) == expected
            assert at[0] == 32


def test_a_number_of_zeros_only_is_looked_up_with_more_bits():
    assert radius(SMALL, script(1 << 40, 256)[0]) > 100


def noises(seed):
    return [FastNoise(np.random.default_rng(seed)), ExactNoise(seeded(seed)("noise"))]


def law(box, most=60):
    """Every cell vector of the small boxes, and its probability, from the definition alone."""
    q = math.exp(-float(box.epsilon))
    total = sum(q**r * box.points(r) for r in range(most)) * (1 - q)
    points = members(box.pairs, box.reaches, 3)
    return {cells(box.pairs, x): q ** least_box(box, x) / total for x in points}


@pytest.mark.parametrize("which", [0, 1], ids=["fast", "exact"])
@pytest.mark.parametrize("box", [Box(Fraction(2), 1, (2,)), Box(Fraction(2), 2, ()), Box(Fraction(1), 0, ())])
def test_draws_follow_the_law_point_by_point(which, box):
    n = 20_000
    drawn = [tuple(point) for point in noises(5)[which].box(box, n).tolist()]
    expected = {point: chance * n for point, chance in law(box).items() if chance * n > 8}
    observed = dict.fromkeys(expected, 0)
    for point in drawn:
        if point in observed:
            observed[point] += 1
    rest = n - sum(expected.values())
    assert len(expected) > 5
    found = stats.chisquare(
        [*observed.values(), n - sum(observed.values())], [*expected.values(), rest], sum_check=False
    )
    assert found.pvalue > FALSE_ALARM


@pytest.mark.parametrize("epsilon", ["1/30000", "1/25", "1", "30"])
def test_both_samplers_agree_where_the_law_is_wide_and_where_it_is_narrow(epsilon):
    box = Box(Fraction(epsilon), 2, (5, 40))
    fast, exact = (noise.box(box, 1500) for noise in noises(3))
    for cell in range(box.width):
        # ties make the Kolmogorov-Smirnov test conservative, never too eager
        assert stats.ks_2samp(fast[:, cell], exact[:, cell]).pvalue > FALSE_ALARM
    sizes = [np.abs(drawn / np.array([1, 1, 1, 1, 1, 5, 40])).max(axis=1) for drawn in (fast, exact)]
    assert stats.ks_2samp(*sizes).pvalue > FALSE_ALARM


@pytest.mark.parametrize("box", [SMALL, Box(Fraction(1, 3), 2, (1, 2)), Box(Fraction(2), 0, (4,))])
def test_variances_are_those_of_the_definition(box):
    q = math.exp(-float(box.epsilon))
    chances = np.array([q**r * float(box.points(r)) for r in range(200)])
    chances /= chances.sum()
    expected = np.zeros(box.width)
    for r, chance in enumerate(chances):
        same, other = (float(each) for each in box.parities(r))
        for many, share in ((r + 1, same / (same + other)), (r, other / (same + other))):
            square = (many**2 - 1) / 3 if many else 0.0
            expected[: 1 + 2 * box.pairs] += chance * share * square
        for at, reach in enumerate(box.reaches):
            expected[1 + 2 * box.pairs + at] += chance * r * reach * (r * reach + 1) / 3
    expected[1 : 1 + 2 * box.pairs] /= 2
    assert [box.variance(int(part)) for part in box.parts] == pytest.approx(expected, rel=1e-9)


def test_a_tail_is_rare_enough_and_the_next_smaller_is_at_least_half_as_rare():
    for log_failure in (3.0, 30.0):
        r = SMALL.tail(log_failure)
        assert exceeded_between(SMALL, r)[1] <= math.exp(-log_failure)
        assert exceeded_between(SMALL, r - 1)[0] > math.exp(-log_failure) / 2


def test_what_is_no_box_is_refused():
    for wrong in ((Fraction(0), 1, ()), (Fraction(1), -1, ()), (Fraction(1), 0, (3, 0))):
        with pytest.raises(ValueError, match="needs a positive epsilon, and reaches of at least 1"):
            Box(*wrong)


def test_a_radius_beyond_the_fast_table_is_drawn_all_the_same():
    box = Box(Fraction(1, 10**9), 0, (2,))
    assert boxes.fast_table(box) is None
    drawn = box.draw_fast(np.random.default_rng(1), 4000)
    assert drawn[:, 1].var() == pytest.approx(box.variance(1), rel=0.15)
    assert box.tail(30.0) > boxes.TABLE_RADII
