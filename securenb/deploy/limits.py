"""What a site agrees to, in its own words: checked before anything is sent, whatever the plan says."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from protocols.protocol import PROTOCOLS
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule
from protocols.spec import Spec
from securenb.deploy.plan import Plan
from securenb.deploy.safety import Safety
from securenb.federation.federation import RECORD_CAP, Federation
from securenb.privacy.budget import Budget
from securenb.privacy.ledger import Ledger, shown
from securenb.privacy.mechanism import exact

RELAYED = (
    "plain",
    "masking",
    "secagg",
    "secagg_plus",
    "paillier",
    "threshold_paillier",
    "oneshot",
    "verified",
)
"""Protocols that seal whatever the coordinator, who relays everything, must not read."""

NEED_LINKS = ("gossip", "ideal", "mixer", "ring")
"""Protocols that count on links between parties which the coordinator cannot read; it relays them here."""


def check_relayed(protocol: str) -> None:
    """Raise `ValueError` for the spec of a protocol that a coordinator who relays everything would break."""
    name = Spec.of(protocol).name
    if name not in RELAYED:
        raise ValueError(f"{name} needs links that the coordinator cannot read, and it relays all")


class Limits(Safety):
    """A party's own rules; `site.toml`. What a round must withstand is in `Safety`.

    Attributes
    ----------
    party
        Its name in the roster.
    protocols
        Those that it takes part in: their specs. One with other parameters is another protocol.
    smallest_group
        The fewest nodes that may be summed together.
    smallest_threshold
        The fewest nodes that a sum may be opened with.
    epsilon_per_round, budget
        The most that one round, and all rounds together, may cost a record (add/remove); with a budget of
        `EPS,DELTA` both hold at that delta. A trustee holds no records, and needs neither.
    record_cap
        The most records that it may ever hold: `join` refuses more, and a plan that counts on fewer is
        refused, whatever it holds.
    simulations
        Whether rounds with a seed are fine, in which nothing is secret. For made-up records only.
    """

    party: str
    protocols: tuple[str, ...]
    smallest_group: int = Field(ge=1)
    smallest_threshold: int = Field(ge=1)
    epsilon_per_round: str | None = None
    budget: str | None = None
    record_cap: int = Field(default=RECORD_CAP, ge=1)
    simulations: bool = False

    @field_validator("protocols")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            check_relayed(name)
        return tuple(map(PROTOCOLS.spelled, names))

    @field_validator("epsilon_per_round", mode="before")
    @classmethod
    def _number(cls, value: Any) -> str | None:
        return None if value is None else str(exact(str(value)))

    @field_validator("budget", mode="before")
    @classmethod
    def _budget(cls, value: Any) -> str | None:
        if value is not None:
            Budget.parse(str(value))
        return None if value is None else str(value)

    def check_protocol(self, plan: Plan) -> None:
        """Raise `ValueError` for a protocol that is not among ours, before anything is made of it."""
        if plan.protocol not in self.protocols:
            raise ValueError(f"protocol {plan.protocol} is not among ours ({', '.join(self.protocols)})")

    def check(self, plan: Plan, federation: Federation, session: Session) -> None:
        """Raise `ValueError`, with one reason, unless the party may take part."""
        self.check_protocol(plan)
        if self.party not in (*session.nodes, *session.trustees):
            raise ValueError(f"{self.party} has no part in this session")
        if plan.seed is not None and not self.simulations:
            raise ValueError("the plan has a seed, so nothing in it is secret; we allow no simulations")
        if self.party in session.group_of and plan.record_cap < self.record_cap:
            raise ValueError(
                f"the plan counts on at most {plan.record_cap} records a site; ours may hold "
                f"{self.record_cap}, whatever it holds (record_cap in site.toml)"
            )
        survivors = federation.protocol.survivors
        indices = range(len(session.groups))
        if self.party in session.group_of:
            indices = range(at := session.group_of[self.party], at + 1)
        for index in indices:
            self.check_safety(plan, federation, session, index)
            group = session.groups[index]
            if len(group) < self.smallest_group:
                raise RefusedSession(
                    SessionRule.SMALLEST_GROUP,
                    f"a group of {len(group)} nodes; ours has at least {self.smallest_group}",
                )
            if survivors(len(group)) < self.smallest_threshold:
                raise RefusedSession(
                    SessionRule.THRESHOLD,
                    f"a sum may be opened with {survivors(len(group))} nodes; "
                    f"we want at least {self.smallest_threshold}",
                )
        if self.party in session.group_of:
            self._affordable(federation.charged(session.groups))

    def _affordable(self, cost: Ledger) -> None:
        if self.epsilon_per_round is None or self.budget is None:
            raise ValueError("epsilon_per_round and budget are missing in site.toml: what may records cost?")
        allowed, delta = exact(self.epsilon_per_round), Budget.parse(self.budget).delta
        for seen in {release.seen for release in cost.releases}:
            if cost.epsilon("add-remove", seen) is None:
                raise ValueError("the plan adds no noise, which costs more than any budget")
            epsilon = cost.composed("add-remove", delta, seen)
            if epsilon is None:
                raise ValueError("the plan costs epsilon only up to a delta, and our budget has none")
            if epsilon > allowed:
                whose = "a row" if seen == "row" else "a site's vector, which others read,"
                raise ValueError(f"{whose} costs epsilon {shown(epsilon)}; we allow {shown(allowed)} a round")


def read_limits(path: Path) -> Limits:
    """The limits in a TOML file; a one-line `ValueError` that names file and field otherwise."""
    try:
        return Limits(**tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{path}, {where}: {first['msg'].removeprefix('Value error, ')}") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
