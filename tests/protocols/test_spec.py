"""Specs: one spelling for a choice with parameters, on the command line, in files and in Python."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.poison import POISONS, choose_poison
from attacks.poisons.ipm import Ipm
from protocols.catalogue import CATALOGUES
from protocols.checks import binds_its_parameters
from protocols.parameters import parameters
from protocols.protocol import PROTOCOLS
from protocols.schemes.secagg import SecAgg
from protocols.spec import Spec, listed, split
from securenb.privacy.spec import choose_mechanism, spell_mechanism
from securenb.robust.preaggregations.clip import Clip
from securenb.robust.rule import RULES
from securenb.robust.rules.krum import Krum
from securenb.robust.spec import choose_rule, spell_rule

names = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True)
scalars = st.integers() | st.floats(allow_nan=False) | st.text(max_size=12) | st.booleans() | st.none()


@given(name=names, values=st.dictionaries(names, scalars, max_size=4))
def test_what_is_spelt_is_read_back(name, values):
    spec = Spec(name, values)
    again = Spec.of(str(spec))
    assert again.name == name
    assert again.parameters == values


@pytest.mark.parametrize(
    ("spelt", "parameters"),
    [
        ("verified", {}),
        ("verified()", {}),
        (" verified( helpers = 2 ) ", {"helpers": 2}),
        ("a(x=1.5, y=-2e3,z=word, w=none):flag:other", {"x": 1.5, "y": -2000.0, "z": "word", "w": None,
                                                      "flag": True, "other": True}),
        ('a(x="1", y=false)', {"x": "1", "y": False}),
    ],
)  # fmt: skip
def test_a_spec_is_read(spelt, parameters):
    spec = Spec.of(spelt)
    assert (spec.name, spec.parameters) == (spelt.strip().partition("(")[0], parameters)


@pytest.mark.parametrize(
    "spelt",
    ["", "1a", "a(", "a(x)", "a(x=)", "a(x=1", "a(x=1 y=2)", "a)", "a b", "a:", "a(x=1)b", "a(,)", "a;b"],
)
def test_a_misspelt_spec_is_refused(spelt):
    with pytest.raises(ValueError, match="cannot read"):
        Spec.of(spelt)


@pytest.mark.parametrize("wrong", [{"radius": 2}, {"name": 3}, 7, None, ["a"], {"name": "a(b=1)"}])
def test_what_is_no_spec_is_refused(wrong):
    with pytest.raises(ValueError, match="name"):
        Spec.of(wrong)


def test_a_parameter_is_chosen_once():
    with pytest.raises(ValueError, match="chosen twice"):
        Spec.of("alie(inside=true):inside")


def test_lists_are_split_outside_of_parentheses_and_quotes():
    assert listed('a(x=1, y="p,q+r"), b,, c') == ['a(x=1, y="p,q+r")', "b", "c"]
    assert split('a(x="+")+b', "+") == ['a(x="+")', "b"]


@pytest.mark.parametrize(
    ("choice", "made"),
    [
        ("nnm+krum", "nnm+krum"),
        ({"name": "krum", "before": ["nnm"]}, "nnm+krum"),
        ({"name": "centered_clipping", "radius": 2}, "centered_clipping(radius=2)"),
        ("centered_clipping(steps=3)", "centered_clipping"),
        (Krum(before=(Clip(radius=2.5),)), "clip(radius=2.5)+krum"),
    ],
)
def test_a_rule_has_one_spelling_and_is_built_from_it(choice, made):
    assert spell_rule(choice) == spell_rule(made) == made
    assert choose_rule(choice) == choose_rule(made)


def test_poisons_and_protocols_are_chosen_with_parameters():
    assert choose_poison("ipm(factor=2):inside") == Ipm(inside=True, factor=2.0)
    assert POISONS.spelled(Ipm(noisy=True, inside=True)) == "ipm:inside:noisy"
    assert PROTOCOLS.build("secagg(profile=semi-honest)", threshold=5) == SecAgg(5, "semi-honest")
    assert PROTOCOLS.build("paillier(bits=2048)").bits == 2048
    assert PROTOCOLS.build("threshold_paillier(holders=5, quorum=4)").holders == 5
    assert PROTOCOLS.build("oneshot(holders=7, quorum=5)").quorum == 5


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PROTOCOLS.build("secag"), "unknown protocol 'secag'; known: .*; did you mean 'secagg'"),
        (
            lambda: PROTOCOLS.build("secagg(profil=semi-honest)"),
            "unknown parameter 'profil' .* has profile; did you",
        ),
        (
            lambda: PROTOCOLS.build("secagg(profile=honest)"),
            "profile .* must be semi-honest or malicious, got 'honest'",
        ),
        (lambda: PROTOCOLS.build("plain(a=1)"), "unknown parameter 'a' in .*it has none"),
        (lambda: PROTOCOLS.build("paillier(bits=many)"), "bits .* must be a whole number, got 'many'"),
        (lambda: PROTOCOLS.build("paillier(bits=512)"), "2048"),
        (lambda: PROTOCOLS.build("paillier(bits=512):insecure_bits"), "insecure_bits .* for tests only"),
        (lambda: PROTOCOLS.build("secagg(threshold=3)"), "threshold .* a choice of its own"),
        (lambda: PROTOCOLS.build("verified(noise=1)"), "unknown parameter 'noise'"),
        (lambda: PROTOCOLS.build(SecAgg), "chosen by name or as an object: SecAgg is a class"),
        (lambda: choose_rule("krum(malicious=2)"), "malicious .* follows from malicious_bound"),
        (lambda: choose_rule("nnm+sum"), "nothing can come before"),
        (lambda: choose_poison("alie:outside"), "unknown parameter 'outside' .* did you mean 'inside'"),
        (lambda: choose_mechanism("discrete_laplace(epsilon=3)", 1), "epsilon .* choice of its own"),
        (lambda: choose_mechanism("laplace", "none"), "did you mean 'discrete_laplace'"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_every_parameter_of_a_protocol_is_bound_into_the_session(name):
    binds_its_parameters(PROTOCOLS[name].for_tests())


@pytest.fixture
def no_guests(monkeypatch):
    for catalogue in CATALOGUES.values():
        monkeypatch.setattr(catalogue, "_guests", {})


@pytest.mark.usefixtures("no_guests")
def test_an_object_that_cannot_be_spelt_is_kept_under_a_name_of_its_own():
    @dataclass(frozen=True)
    class Weighted(Krum):
        weights: tuple[float, ...] = field(default=(1.0,))

    first, second = Weighted(weights=(1.0, 2.0)), Weighted(weights=(3.0,))
    spelt = [spell_rule(first), spell_rule(second), spell_rule(first)]
    assert spelt == ["weighted#1", "weighted#2", "weighted#1"]
    assert choose_rule("weighted#1") is first
    assert spell_rule(Weighted()) == "weighted"
    with pytest.raises(ValueError, match="is an object: its parameters are what they are"):
        choose_rule("weighted#1(smoothing=2)")
    assert "weighted" in RULES


def test_a_guest_has_no_name_of_ours():
    class Median(Krum):
        pass

    with pytest.raises(ValueError, match="'median', which is one of ours"):
        RULES.add(Median)
    with pytest.raises(ValueError, match="'median', which is one of ours"):
        spell_rule(Median())


@pytest.mark.usefixtures("no_guests")
def test_a_mechanism_is_a_spec_a_class_or_an_object():
    laplace = choose_mechanism("discrete_laplace", "0.5")
    assert choose_mechanism(type(laplace), "0.5") == laplace
    assert spell_mechanism(laplace).startswith("discrete_laplace#")
    assert choose_mechanism(laplace, "0.5") is laplace
    with pytest.raises(ValueError, match="does not promise epsilon 1"):
        choose_mechanism(laplace, 1)


def test_only_numbers_words_and_switches_are_parameters():
    assert parameters(PROTOCOLS["verified"]).keys() == {"helpers", "proofs", "key_exchange"}
