"""A mechanism by its spec and its epsilon; and the word for none."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from protocols.catalogue import Choice
from protocols.parameters import chosen
from securenb.privacy.mechanism import MECHANISMS, Mechanism, exact
from securenb.privacy.mechanisms.none import NoNoise

NO_EPSILON = "none"
"""What a person writes for epsilon to get no noise, knowingly."""

PROMISED = ("epsilon", "delta")
"""What a mechanism promises is chosen on its own."""


def choose_mechanism(
    choice: Choice[Mechanism] | type[Mechanism], epsilon: float | str | Fraction, delta: float | None = None
) -> Mechanism:
    """The mechanism whose dose costs `epsilon`, up to `delta`, a row.

    Parameters
    ----------
    choice
        The spec of one of `MECHANISMS`, a class, or an object that promises just this epsilon.
    epsilon
        Positive, or `NO_EPSILON` for no noise.

    Raises
    ------
    ValueError
        If a name or a parameter is unknown, or the mechanism cannot promise this.
    """
    if str(epsilon) == NO_EPSILON:
        spell_mechanism(choice)
        return NoNoise()
    spec = MECHANISMS.spec(spell_mechanism(choice))
    guest = MECHANISMS.guests().get(spec.name)
    if isinstance(guest, Mechanism):
        promised = getattr(guest, "epsilon", None)
        if promised != exact(epsilon) or (delta is not None and delta != guest.delta):
            raise ValueError(f"{guest} does not promise epsilon {epsilon}, delta {delta or 0:g}")
        return guest
    kind = MECHANISMS[spec.name]
    made: Any = kind.from_epsilon(epsilon, delta)
    found: Mechanism = replace(made, **chosen(kind, str(spec), spec.parameters)) if spec.parameters else made
    return found


def spell_mechanism(choice: Choice[Mechanism] | type[Mechanism]) -> str:
    """The one spelling of a choice, which `choose_mechanism` reads."""
    if isinstance(choice, type):
        name = next((name for name in MECHANISMS if MECHANISMS[name] is choice), None)
        return MECHANISMS.add(choice) if name is None else name
    if isinstance(choice, Mechanism):
        known = [name for name, guest in MECHANISMS.guests().items() if guest is choice]
        name = MECHANISMS.name_of(choice)
        return known[0] if known else MECHANISMS.add(choice, f"{name}#{1 + len(MECHANISMS.guests())}")
    spec = MECHANISMS.spec(choice)
    kind = MECHANISMS[spec.name]
    for name in PROMISED:
        if name in spec.parameters:
            raise ValueError(f"{name} in {spec} is no parameter of a spec: it is a choice of its own")
    chosen(kind, str(spec), spec.parameters)
    return str(spec)
