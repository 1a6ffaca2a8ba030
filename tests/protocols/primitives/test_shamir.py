import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.entropy import seeded
from protocols.primitives.shamir import (
    PRIME,
    combine,
    correct,
    draw_secret,
    element,
    inverses,
    lagrange_at_zero,
    split,
)

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "shamir.json").read_text())
SECRETS = st.integers(0, PRIME - 1).map(lambda value: value.to_bytes(32, "big"))


def as_shares(mapping):
    return {int(place): bytes.fromhex(share) for place, share in mapping.items()}


@pytest.mark.parametrize("vector", VECTORS["good"], ids=lambda v: f"{v['threshold']} of {v['holders']}")
def test_known_answers(vector):
    coefficients = [bytes.fromhex(c) for c in vector["coefficients"]]
    shares = [bytes.fromhex(share) for share in vector["shares"]]
    threshold, holders = vector["threshold"], vector["holders"]
    assert split(coefficients[0], threshold, holders, lambda _: b"".join(coefficients[1:])) == shares
    assert combine(dict(enumerate(shares)), threshold) == coefficients[0]
    assert combine(dict(reversed(list(enumerate(shares)))), threshold) == coefficients[0]


@pytest.mark.parametrize("vector", VECTORS["bad"], ids=lambda v: v["why"])
@pytest.mark.parametrize("function", [combine, correct])
def test_bad_vectors_are_refused(vector, function):
    with pytest.raises(ValueError, match=r"shares are needed|no field element"):
        function(as_shares(vector["shares"]), vector["threshold"])


@st.composite
def sharings(draw):
    holders = draw(st.integers(1, 25))
    threshold = draw(st.integers(1, holders))
    secret = draw(SECRETS)
    shares = split(secret, threshold, holders, seeded(draw(st.integers(0, 99)))("dealer"))
    return secret, threshold, dict(enumerate(shares)), draw(st.permutations(range(holders)))


@settings(max_examples=60, deadline=None)
@given(sharings())
def test_any_threshold_of_shares_gives_the_secret(sharing):
    secret, threshold, shares, order = sharing
    chosen = {place: shares[place] for place in order[:threshold]}
    assert combine(chosen, threshold) == secret
    assert correct(chosen, threshold) == (secret, ())


@settings(max_examples=60, deadline=None)
@given(sharings(), SECRETS)
def test_one_share_too_few_fits_every_secret(sharing, other):
    _, threshold, shares, order = sharing
    known = {place: shares[place] for place in order[: threshold - 1]}
    # the polynomial through the known shares and any other secret has a share for one more place
    places = (*known, -1)  # -1 stands at x = 0
    values = [element(share) for share in known.values()] + [element(other)]
    x = len(shares) + 1
    total = 0
    for i, place in enumerate(places):
        term = values[i]
        for j in places:
            if j != place:
                term = term * (x - j - 1) * pow(place - j, -1, PRIME) % PRIME
        total += term
    extra = {len(shares): (total % PRIME).to_bytes(32, "big")}
    assert combine(known | extra, threshold) == other


@settings(max_examples=60, deadline=None)
@given(sharings(), st.data())
def test_wrong_shares_are_found_up_to_half_of_the_surplus(sharing, data):
    secret, threshold, shares, order = sharing
    count = data.draw(st.integers(0, (len(shares) - threshold) // 2))
    wrong = order[:count]
    for place in wrong:
        shift = data.draw(st.integers(1, PRIME - 1))
        shares[place] = ((element(shares[place]) + shift) % PRIME).to_bytes(32, "big")
    found, places = correct(shares, threshold)
    assert found == secret
    assert sorted(places) == sorted(wrong)


def test_too_many_wrong_shares_are_admitted_not_guessed():
    shares = dict(enumerate(split(bytes(32), 3, 6, seeded(1)("dealer"))))
    for place in (0, 1):
        shares[place] = draw_secret(seeded(place)("liar"))
    with pytest.raises(ValueError, match="more than 1 of 6"):
        correct(shares, 3)


@pytest.mark.parametrize("threshold", [-1, 0, 4])
def test_a_threshold_out_of_range_is_refused(threshold):
    with pytest.raises(ValueError, match=f"got {threshold}"):
        split(bytes(32), threshold, 3, seeded(1)("dealer"))


def test_secrets_are_drawn_again_until_they_are_in_the_field():
    draws = iter([b"\xff" * 32, PRIME.to_bytes(32, "big"), bytes(31) + b"\x07"])
    assert draw_secret(lambda _: next(draws)) == bytes(31) + b"\x07"


def test_shares_of_the_same_secret_differ_with_the_entropy():
    assert split(bytes(32), 2, 3, seeded(1)("a")) != split(bytes(32), 2, 3, seeded(1)("b"))


def test_batch_inversion_inverts_each():
    values = [1, 2, PRIME - 1, 3**150 % PRIME]
    assert [v * i % PRIME for v, i in zip(values, inverses(values), strict=True)] == [1, 1, 1, 1]


def test_lagrange_coefficients_sum_to_one():
    # they rebuild the constant polynomial 1
    assert sum(lagrange_at_zero((0, 3, 4, 9))) % PRIME == 1


def test_shares_in_any_order_need_one_set_of_coefficients():
    secret = draw_secret(seeded(3)("a"))
    shares = dict(enumerate(split(secret, 3, 6, seeded(4)("a"))))
    lagrange_at_zero.cache_clear()
    for first in range(6):
        turned = {(first + step) % 6: shares[(first + step) % 6] for step in range(6)}
        assert combine(turned, 3) == secret
    assert lagrange_at_zero.cache_info().misses == 1
