"""The choices of one round, checked: names that exist, numbers in range, nothing unknown."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator

from protocols.protocol import PROTOCOLS
from securenb.experiments.checked import checked
from securenb.federation.federation import RECORD_CAP, Federation
from securenb.federation.postprocess import Refinement
from securenb.privacy.mechanism import MECHANISMS, Mechanism, exact
from securenb.privacy.mechanisms.none import NoNoise
from securenb.randomness import Streams
from securenb.robust.spec import choose_rule
from securenb.schema.records import Records
from securenb.schema.schema import Schema

NO_EPSILON = "none"
"""What a person writes for epsilon to get no noise, knowingly."""


class Choices(BaseModel):
    """Everything that a federation needs besides a schema.

    Attributes
    ----------
    protocol, mechanism
        Names in their catalogues.
    rule
        See `securenb.robust.spec.choose_rule`.
    epsilon
        What one opened row costs a record under add/remove; ``"none"`` for no noise.
    delta
        What epsilon holds up to, for mechanisms that need one.
    group_size, colluding
        See `securenb.federation.federation.Federation`.
    malicious_bound
        The most nodes that may be malicious, `malicious` of `securenb.federation.federation.Federation`.
    threshold
        See `protocols.protocol.Protocol`.
    record_cap
        The most records that a node may hold; under the protocol `verified`, that it proves to hold at
        most, see `proven` of `securenb.federation.federation.Federation`.
    consistency, shrinkage
        See `securenb.federation.postprocess.Refinement`.
    seed
        Makes it a simulation; `None` uses the operating system's entropy for noise and keys.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    protocol: str
    epsilon: str
    delta: float | None = None
    mechanism: str = "discrete_laplace"
    rule: str = "sum"
    group_size: int | None = Field(default=None, ge=1)
    threshold: int | None = Field(default=None, ge=1)
    colluding: int = Field(default=0, ge=0)
    malicious_bound: int = Field(default=0, ge=0)
    record_cap: int | None = Field(default=None, ge=1)
    consistency: bool = True
    shrinkage: bool = False
    seed: int | None = Field(default=None, ge=0)

    @field_validator("epsilon", mode="before")
    @classmethod
    def _epsilon(cls, value: Any) -> str:
        text = str(value)
        if text != NO_EPSILON:
            exact(text)
        return text

    @field_validator("rule")
    @classmethod
    def _rule(cls, value: str) -> str:
        choose_rule(value)
        return value

    @field_validator("protocol")
    @classmethod
    def _protocol(cls, value: str) -> str:
        PROTOCOLS[value]
        return value

    @field_validator("mechanism")
    @classmethod
    def _mechanism(cls, value: str) -> str:
        MECHANISMS[value]
        return value

    @classmethod
    def checked(cls, **choices: Any) -> Self:
        """The choices, or a one-line `ValueError` that names the wrong one and what it should be."""
        return checked(cls, **choices)

    @property
    def streams(self) -> Streams:
        """The randomness."""
        return Streams(self.seed)

    def noise(self) -> Mechanism:
        """The mechanism with its epsilon."""
        if self.epsilon == NO_EPSILON:
            return NoNoise()
        return MECHANISMS[self.mechanism].from_epsilon(self.epsilon, self.delta)

    def federation_over(
        self,
        schema: Schema,
        reference: Records | None = None,
        submissions: Mapping[str, int] | None = None,
    ) -> Federation:
        """The federation over records of a schema.

        Parameters
        ----------
        reference
            Public records, for rules that need some.
        submissions
            See `securenb.federation.federation.Federation`.
        """
        proven = self.record_cap is not None and self.protocol == "verified"
        if submissions and not proven:
            raise ValueError("nodes split only under the protocol verified with a record cap")
        return Federation(
            schema=schema,
            protocol=PROTOCOLS[self.protocol](self.threshold),
            mechanism=self.noise(),
            rule=choose_rule(self.rule, reference=reference),
            group_size=self.group_size,
            colluding=self.colluding,
            record_cap=RECORD_CAP if self.record_cap is None else self.record_cap,
            malicious=self.malicious_bound,
            refinement=Refinement(self.consistency, self.shrinkage),
            proven=proven,
            submissions=submissions or {},
            seed=self.seed,
        )
