"""What the coordinator proposes: everything from which all parties derive the same session."""

import msgspec

from protocols.canonical import digest
from protocols.grouping import Groups
from protocols.party import AGGREGATOR
from protocols.primitives.identity import Identity, Roster
from protocols.protocol import PROTOCOLS
from protocols.session import SESSION_ID_BYTES, Session
from protocols.session_rules import check_schema
from securenb.experiments.choices import Choices
from securenb.federation.federation import Federation
from securenb.privacy.spec import choose_mechanism
from securenb.robust.rule import Rule
from securenb.robust.rules.sum import Sum
from securenb.robust.spec import choose_rule, spell_rule
from securenb.schema.schema import Schema

VERSION = 3
"""Raised whenever parties of two releases of securenb could not run together."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One round, as proposed; every party derives the session from it and compares digests.

    Attributes
    ----------
    session_id
        16 bytes.
    session_digest
        32 bytes: of the session that the coordinator derived.
    schema_digest
        32 bytes: of the schema that the statistics are about.
    protocol, mechanism
        Specs; the session binds all parameters of the protocol.
    proven
        Whether nodes prove their exact statistics, and aggregators add the noise.
    rule
        Spec of the rule where sites send what it asks for instead of statistics; else `sum`.
    witnesses
        How many cells that no record touches are behind the statistics; 0 for none.
    seed
        Makes the round a simulation, in which nothing is secret; sites must have agreed to such.
    """

    version: int
    session_id: bytes
    session_digest: bytes
    schema_digest: bytes
    groups: Groups
    protocol: str
    threshold: int | None
    mechanism: str
    epsilon: str
    delta: float | None
    colluding: int
    record_cap: int
    proven: bool
    rule: str
    witnesses: int
    seed: int | None

    def federation(self, schema: Schema, rule: Rule | None = None) -> Federation:
        """The round's choices; what becomes of the rows is the coordinator's business."""
        return Federation(
            schema=schema,
            protocol=PROTOCOLS.build(self.protocol, threshold=self.threshold),
            mechanism=choose_mechanism(self.mechanism, self.epsilon, self.delta),
            rule=rule or choose_rule(self.rule),
            colluding=self.colluding,
            record_cap=self.record_cap,
            proven=self.proven,
            witnesses=self.witnesses,
            seed=self.seed,
        )

    def session(self, federation: Federation) -> Session:
        """The session that follows from the plan and one's own schema.

        Raises
        ------
        ValueError
            If it is not the coordinator's: another schema, another release of the software.
        """
        if self.version != VERSION:
            raise ValueError(f"the plan is of version {self.version}, this software speaks {VERSION}")
        check_schema(self.schema_digest, federation.schema.digest)
        session = federation.session(self.groups, self.session_id)
        if session.digest != self.session_digest:
            raise ValueError("the coordinator derives another session: its software differs from ours")
        return session


def propose(scenario: Choices, federation: Federation, groups: Groups) -> tuple[Plan, Session]:
    """The plan of a scenario, and its session."""
    session = federation.session(groups)
    plan = Plan(
        version=VERSION,
        session_id=session.id,
        session_digest=session.digest,
        schema_digest=federation.schema.digest,
        groups=groups,
        protocol=scenario.protocol,
        threshold=scenario.threshold,
        mechanism=scenario.mechanism,
        epsilon=scenario.epsilon,
        delta=scenario.delta,
        colluding=scenario.colluding,
        record_cap=federation.record_cap,
        proven=federation.proven,
        rule=spell_rule(federation.rule if federation.rule.increments else Sum()),
        witnesses=federation.witnesses,
        seed=scenario.seed,
    )
    return plan, session


class Opening(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A plan with the coordinator's signature."""

    plan: bytes
    signature: bytes

    @classmethod
    def of(cls, plan: Plan, identity: Identity) -> "Opening":
        """The plan, signed."""
        encoded = msgspec.msgpack.encode(plan)
        return cls(encoded, identity.sign(digest("securenb plan", encoded)))

    def checked(self, roster: Roster) -> Plan:
        """The plan; a `ValueError` if it is not the coordinator's, or is none."""
        if not roster.signed(AGGREGATOR, digest("securenb plan", self.plan), self.signature):
            raise ValueError("the plan is not signed by the coordinator in our roster")
        try:
            plan = msgspec.msgpack.decode(self.plan, type=Plan)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise ValueError(f"the plan is of another release of the software ({error})") from None
        if len(plan.session_id) != SESSION_ID_BYTES:
            raise ValueError("the plan names no session")
        return plan
