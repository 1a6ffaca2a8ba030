"""One release as a ledger keeps it: what composes later, under any accountant."""

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Self

from securenb.privacy.accountant import Query
from securenb.privacy.cost import Cost, Either, Pure, Together, pure
from securenb.privacy.distributions import DiscreteGaussian, Distribution, Polya, Skellam
from securenb.privacy.sensitivity import Adjacency

LAWS: dict[str, type[Distribution]] = {law.__name__: law for law in (DiscreteGaussian, Polya, Skellam)}
"""Laws that a ledger can write down: by their names, with numbers for parameters."""

PLAIN = ("mechanism", "schema", "honest", "shares", "cap")
"""What a line says as it is."""


@dataclass(frozen=True)
class Event:
    """What one release can have told of one change of the data.

    Attributes
    ----------
    mechanism
        What added the noise, with its parameters; for people.
    schema
        SHA-256 of the schema, in hexadecimal digits.
    honest
        How many honest contributors a dose counts on.
    shares
        How many shares of noise the release carries.
    cap
        How many records change at once: 1, or the most that a node may hold where whole nodes are protected.
    add_remove, replace_one
        The cost under either adjacency: how far each block moves, and the law of the noise on it.
    """

    mechanism: str
    schema: str
    honest: int
    shares: int
    cap: int
    add_remove: Cost
    replace_one: Cost

    def cost(self, adjacency: Adjacency) -> Cost:
        """Under one of the adjacencies."""
        return self.add_remove if adjacency == "add-remove" else self.replace_one

    def encoded(self) -> dict[str, Any]:
        """As plain values for JSON.

        Raises
        ------
        ValueError
            If its noise has a law that no ledger can write down, and no largest loss either.
        """
        laws: list[Any] = []
        costs = {name: _encoded(getattr(self, name), laws) for name in ("add_remove", "replace_one")}
        plain = {name: getattr(self, name) for name in PLAIN}
        return {**plain, "laws": laws, **costs}

    @classmethod
    def decoded(cls, values: dict[str, Any]) -> Self:
        """Inverse of `encoded`; a `ValueError`, `KeyError` or `TypeError` if it is none."""
        laws = [_law(name, *parameters) for name, *parameters in values["laws"]]
        plain: dict[str, Any] = {name: values[name] for name in PLAIN}
        return cls(
            **plain,
            add_remove=_decoded(values["add_remove"], laws),
            replace_one=_decoded(values["replace_one"], laws),
        )


def _encoded(cost: Cost, laws: list[Any]) -> list[Any]:
    match cost:
        case Pure(epsilon):
            return ["pure", str(epsilon)]
        case Together(parts, times):
            return ["all", times, *(_encoded(part, laws) for part in parts)]
        case Either(options):
            return ["worst", *(_encoded(option, laws) for option in options)]
        case Query(distribution, shift, times):
            choices: Any = distribution
            name = type(distribution).__name__
            if LAWS.get(name) is not type(distribution):
                largest = pure(cost)
                if largest is None:
                    raise ValueError(
                        f"no ledger can write down noise of the law {name}, for it knows {', '.join(LAWS)}"
                    )
                return ["pure", str(largest)]
            law = [name, *(str(getattr(choices, each.name)) for each in fields(choices))]
            if law not in laws:
                laws.append(law)
            return ["query", laws.index(law), shift, times]


def _decoded(values: list[Any], laws: list[Distribution]) -> Cost:
    kind, *rest = values
    match kind:
        case "pure":
            return Pure(Fraction(rest[0]))
        case "all":
            return Together(tuple(_decoded(part, laws) for part in rest[1:]), int(rest[0]))
        case "worst":
            return Either(tuple(_decoded(option, laws) for option in rest))
        case "query":
            law, shift, times = rest
            return Query(laws[law], int(shift), int(times))
    raise ValueError(f"no cost is called {kind!r}")


def _law(name: str, *parameters: str) -> Distribution:
    law: Any = LAWS[name]
    of = [int if each.type is int else Fraction for each in fields(law)]
    made: Distribution = law(*(kind(text) for kind, text in zip(of, parameters, strict=True)))
    return made
