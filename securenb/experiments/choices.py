"""The choices of one round, checked: names that exist, numbers in range, nothing unknown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

from protocols.protocol import PROTOCOLS, Protocol
from protocols.spec import Spec
from securenb.experiments.checked import checked
from securenb.experiments.declare import choice, unworded
from securenb.federation.federation import RECORD_CAP, Federation
from securenb.federation.postprocess import Refinement
from securenb.privacy.mechanism import Mechanism, exact
from securenb.privacy.spec import NO_EPSILON as NO_EPSILON
from securenb.privacy.spec import choose_mechanism, spell_mechanism
from securenb.privacy.witnesses import check_count
from securenb.randomness import Streams
from securenb.robust.spec import choose_rule, spell_rule
from securenb.schema.records import Records
from securenb.schema.schema import Schema


class Choices(BaseModel):
    """Everything that a federation needs besides a schema.

    Attributes
    ----------
    protocol, mechanism, rule
        Specs, as ``"verified(helpers=2)"``, or objects; see `protocols.spec`, and
        `securenb.robust.spec.choose_rule`. Objects are kept by name, see
        `protocols.catalogue.Catalogue.spec`.
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
    witnesses
        How many cells that no record touches show the noise, see `securenb.privacy.witnesses`.
    curator
        See `securenb.federation.federation.Federation`.
    consistency, shrinkage
        See `securenb.federation.postprocess.Refinement`.
    seed
        Makes it a simulation; `None` uses the operating system's entropy for noise and keys.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    protocol: str = choice("The secure sum, as `secagg(profile=malicious)`; see `securenb list protocols`.")
    epsilon: str = choice("What one opened row costs a record (add/remove); `none` for no noise.")
    delta: float | None = choice(
        "What epsilon holds up to; for mechanisms that need one, such as skellam.", None
    )
    mechanism: str = choice("The noise; see `securenb list mechanisms`.", "discrete_laplace")
    rule: str = choice("How opened rows become a model; `nnm+krum` mixes, then chooses.", "sum")
    group_size: int | None = choice(
        "Nodes in a group that is summed: a number, or `all`.", None, word="all", ge=1
    )
    threshold: int | None = choice(
        "The fewest nodes a group is opened with; by default what the protocol needs.", None, ge=1
    )
    colluding: int = choice("Nodes of a group that may reveal their noise to the aggregator.", 0, ge=0)
    malicious_bound: int = choice(
        "Nodes that may be malicious; refused if the rule does not withstand them.", 0, ge=0
    )
    record_cap: int | None = choice(
        "The most records a node may hold; with protocol verified, what it proves.", None, ge=1
    )
    witnesses: int | None = choice(
        "Cells that no record touches: their noise, opened, shows that it was there; a number, or `none`.",
        None, word="none",
    )  # fmt: skip
    curator: bool = choice(
        "Trust the server with sums without noise: it adds a dose to each opened row.", default=False
    )
    consistency: bool = choice("Make noisy counts of a class add up.", default=True)
    shrinkage: bool | None = choice(
        "Pull what noise drowns to pooled values; by default with the rule sum.", None
    )
    seed: int | None = choice(
        "Makes it a reproducible simulation; without it noise and keys are secret.", None, ge=0
    )

    @field_validator("*", mode="before")
    @classmethod
    def _unworded(cls, value: Any, info: ValidationInfo) -> Any:
        return unworded(cls, info.field_name, value)

    @field_validator("epsilon", mode="before")
    @classmethod
    def _epsilon(cls, value: Any) -> str:
        text = str(value)
        if text != NO_EPSILON:
            exact(text)
        return text

    @field_validator("rule", mode="before")
    @classmethod
    def _rule(cls, value: Any) -> str:
        return spell_rule(value)

    @field_validator("protocol", mode="before")
    @classmethod
    def _protocol(cls, value: Any) -> str:
        return PROTOCOLS.spelled(value)

    @field_validator("mechanism", mode="before")
    @classmethod
    def _mechanism(cls, value: Any) -> str:
        return spell_mechanism(value)

    @field_validator("witnesses")
    @classmethod
    def _witnesses(cls, value: int | None) -> int | None:
        return None if value is None else check_count(value)

    @model_validator(mode="before")
    @classmethod
    def _one_threshold(cls, choices: Any) -> Any:
        """A protocol that is an object brings its threshold."""
        protocol = choices.get("protocol") if isinstance(choices, dict) else None
        if not isinstance(protocol, Protocol) or protocol.threshold is None:
            return choices
        if choices.get("threshold") not in (None, protocol.threshold):
            raise ValueError(f"threshold {choices['threshold']}: {protocol!r} has another")
        return {**choices, "protocol": replace(protocol, threshold=None), "threshold": protocol.threshold}

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
        return choose_mechanism(self.mechanism, self.epsilon, self.delta)

    def federation_over(
        self,
        schema: Schema,
        reference: Records | None = None,
        submissions: Mapping[str, int] | None = None,
        nodes: int | None = None,
    ) -> Federation:
        """The federation over records of a schema.

        Parameters
        ----------
        reference
            Public records, for rules that need some.
        submissions
            See `securenb.federation.federation.Federation`.
        nodes
            How many are expected, for a rule that must know.
        """
        rule = choose_rule(self.rule, reference=reference, nodes=nodes)
        capped = self.record_cap is not None or rule.increments
        proven = capped and Spec.of(self.protocol).name == "verified"
        if submissions and not proven:
            raise ValueError("nodes split only under the protocol verified with a record cap")
        return Federation(
            schema=schema,
            protocol=PROTOCOLS.build(self.protocol, threshold=self.threshold),
            mechanism=self.noise(),
            rule=rule,
            group_size=self.group_size,
            colluding=self.colluding,
            record_cap=RECORD_CAP if self.record_cap is None else self.record_cap,
            malicious=self.malicious_bound,
            refinement=Refinement(self.consistency, self.shrinkage),
            proven=proven,
            curator=self.curator,
            submissions=submissions or {},
            witnesses=self.witnesses or 0,
            seed=self.seed,
        )
