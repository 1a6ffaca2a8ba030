"""Proofs that a vector keeps its rules: honest ones hold, forged and tampered ones do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.entropy import seeded
from protocols.primitives.vdaf.field import FIELD64, FIELD128
from protocols.primitives.vdaf.prio3 import Prio3
from protocols.primitives.vdaf.validity import ValidVector
from protocols.validity import Equality, Form, Product, Range, Validity, within

RULES = Validity(
    3,
    (
        Range("count", Form(((0, 1),)), 9),
        Range("sum", Form(((0, 8), (1, -1))), 72),
        Range("squares", Form(((1, -1), (2, 1))), 576),
    ),
    (Equality("total", Form(((0, 5), (1, -1)), 0)),),
    (Product("variance", Form(((0, 1),)), Form(((2, 1),)), Form(((1, 1),)), 1900),),
)
VALID = np.array([4, 20, 120], dtype=np.int64)
NONCE = bytes(range(16))
KEY = bytes(range(32))

SETTINGS = {"64, three proofs": (FIELD64, 3), "128, one proof": (FIELD128, 1)}


@pytest.fixture(params=list(SETTINGS))
def prio3(request):
    field, proofs = SETTINGS[request.param]
    return Prio3(0xFFFF0001, ValidVector(RULES, field), 2, proofs, b"test")


def verified(prio3, public, shares, key=KEY, nonce=NONCE):
    """The sum of the output shares; `ValueError` where an honest aggregator stops."""
    started = [prio3.verify_init(key, at, nonce, public, share) for at, share in enumerate(shares)]
    message = prio3.verifier_shares_to_message([share for _, share in started])
    field = prio3.circuit.field
    total = field.zeros(prio3.circuit.outputs)
    for state, _ in started:
        total = field.add(total, prio3.verify_next(state, message))
    return field.integers(total)


def shard(prio3, encoded, seed=1):
    return prio3.shard(encoded, NONCE, seeded(seed)("client")(prio3.random_bytes))


def forgeries(circuit, vector):
    """Encodings of an invalid vector that keep as many checks as they can."""
    field, x = circuit.field, vector.tolist()
    rules = circuit.validity
    values = [item.form(x) for item in rules.ranges] + [item(x) for item in rules.products]
    yield circuit.encode(vector)
    for style in ("wrapped", "one big bit", "last bit negative"):
        bits = []
        for code, value in zip(circuit._ranges, values, strict=True):
            inside = 0 <= value <= code.largest
            if inside:
                bits += code.encode(value)
            elif style == "wrapped":
                bits += code.encode(value % (code.largest + 1))
            elif style == "one big bit":
                bits += [value] + [0] * (code.count - 1)
            else:
                rest = code.encode(0)
                rest[-1] = value * pow(code.last, -1, field.modulus)
                bits += rest
        yield np.concatenate([field.elements(vector), field.elements(bits)])


@pytest.mark.parametrize("shares", [2, 3, 5])
def test_a_valid_vector_is_opened_by_all_shares_together(shares):
    prio3 = Prio3(0xFFFF0001, ValidVector(RULES, FIELD64), shares, 3, b"test")
    encoded = prio3.circuit.encode(VALID)
    assert verified(prio3, *shard(prio3, encoded)) == VALID.tolist()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-40, 40), min_size=1, max_size=12))
def test_every_vector_within_its_bounds_is_accepted(values):
    prio3 = Prio3(0xFFFF0001, ValidVector(within(len(values), 40), FIELD64), 2, 3)
    encoded = prio3.circuit.encode(np.array(values, np.int64))
    p = FIELD64.modulus
    assert verified(prio3, *shard(prio3, encoded)) == [value % p for value in values]


INVALID = {
    "count": (10, 50, 300),
    "negative count": (-1, -5, 0),
    "sum": (4, 33, 280),
    "squares": (4, 20, 19),
    "total": (4, 21, 120),
    "variance": (4, 20, 99),
    "too much variance": (4, 20, 596),
}


@pytest.mark.parametrize("name", list(INVALID))
def test_no_forged_encoding_of_an_invalid_vector_is_accepted(prio3, name):
    vector = np.array(INVALID[name], np.int64)
    assert RULES.broken(vector)
    for seed, encoded in enumerate(forgeries(prio3.circuit, vector)):
        with pytest.raises(ValueError, match="proof does not hold"):
            verified(prio3, *shard(prio3, encoded, seed))


def test_random_elements_instead_of_bits_are_rejected(prio3):
    field, circuit = prio3.circuit.field, prio3.circuit
    encoded = circuit.encode(VALID)
    for at in range(circuit.outputs, circuit.length):
        changed = encoded.copy()
        changed[at] = field.elements([field.modulus // 3 + at])[0]
        with pytest.raises(ValueError, match="proof does not hold"):
            verified(prio3, *shard(prio3, changed))


def test_any_flipped_byte_is_rejected(prio3):
    public, shares = shard(prio3, prio3.circuit.encode(VALID))
    rng = np.random.default_rng(4)
    for part in ("public", 0, 1):
        data = public if part == "public" else shares[part]
        for where in rng.choice(len(data), min(60, len(data)), replace=False):
            changed = bytearray(data)
            changed[where] ^= int(rng.integers(1, 256))
            tampered = list(shares)
            if part != "public":
                tampered[part] = bytes(changed)
            with pytest.raises(ValueError, match=r"proof does not hold|joint randomness|not below"):
                verified(prio3, bytes(changed) if part == "public" else public, tampered)


@pytest.mark.parametrize("what", ["key", "nonce", "context", "algorithm", "aggregator"])
def test_shares_verify_only_where_they_were_made_for(prio3, what):
    public, shares = shard(prio3, prio3.circuit.encode(VALID))
    other = {
        "context": Prio3(prio3.algorithm, prio3.circuit, 2, prio3.proofs, b"else"),
        "algorithm": Prio3(prio3.algorithm + 1, prio3.circuit, 2, prio3.proofs, b"test"),
    }.get(what, prio3)
    if what == "key":
        # one aggregator has another verification key
        mine = prio3.verify_init(KEY, 0, NONCE, public, shares[0])[1]
        theirs = prio3.verify_init(bytes(32), 1, NONCE, public, shares[1])[1]
        with pytest.raises(ValueError, match="proof does not hold"):
            prio3.verifier_shares_to_message([mine, theirs])
    elif what == "aggregator":
        with pytest.raises(ValueError, match="bytes"):
            verified(prio3, public, shares[::-1])
    else:
        with pytest.raises(ValueError, match=r"proof does not hold|joint randomness"):
            verified(other, public, shares, nonce=bytes(16) if what == "nonce" else NONCE)


def test_a_tampered_verifier_share_or_message_is_rejected(prio3):
    public, shares = shard(prio3, prio3.circuit.encode(VALID))
    started = [prio3.verify_init(KEY, at, NONCE, public, share) for at, share in enumerate(shares)]
    verifiers = [share for _, share in started]
    message = prio3.verifier_shares_to_message(verifiers)
    for where in range(0, len(verifiers[1]) - 32, 7):
        changed = bytearray(verifiers[1])
        changed[where] ^= 1
        with pytest.raises(ValueError, match=r"proof does not hold|not below"):
            prio3.verifier_shares_to_message([verifiers[0], bytes(changed)])
    with pytest.raises(ValueError, match="joint randomness"):
        prio3.verify_next(started[0][0], bytes(32))
    for wrong in (verifiers[1][:-1], verifiers[1] + b"\0", b""):
        with pytest.raises(ValueError, match="verifier share has"):
            prio3.verifier_shares_to_message([verifiers[0], wrong])
    assert prio3.verify_next(started[1][0], message) is started[1][0].output


def test_a_single_share_looks_the_same_whatever_the_vector(prio3):
    others = [shard(prio3, prio3.circuit.encode(np.array(x, np.int64)))[1] for x in [(4, 20, 120), (0, 0, 0)]]
    assert others[0][1] == others[1][1]
    assert others[0][0] != others[1][0]


def test_a_field_that_the_rules_could_wrap_is_refused():
    with pytest.raises(ValueError, match=str(FIELD64.modulus)):
        ValidVector(within(2, 1 << 62), FIELD64)
    ValidVector(within(2, 1 << 62), FIELD128)
