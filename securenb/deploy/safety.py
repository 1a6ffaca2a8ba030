"""What a site wants a round to withstand: parameters that the coordinator chooses, and that protect from it.

Each has a least value of the site's own. A plan below any is refused, with the name of the limit and
both values. A limit does not apply where a protocol has nothing of the kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, get_args

from pydantic import BaseModel, ConfigDict, Field

from protocols.primitives.box import KeyExchange
from protocols.primitives.neighbour_plan import part_of
from protocols.schemes._double_masking.protocol import DoubleMasking, Profile
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule
from securenb.deploy.plan import Plan
from securenb.federation.federation import Federation

COLLUDING, CORRUPT, CORRUPT_HOLDERS, PROFILE = 1, 0.05, 1, "malicious"
KEY_EXCHANGE: KeyExchange = "hybrid"
"""What `deploy init` writes into `site.toml`."""


@dataclass(frozen=True)
class Compared:
    """One limit beside what a plan withstands.

    Attributes
    ----------
    field
        Of the plan, or of its protocol.
    limit
        Of the site.
    rule
        By which a plan that is below it is refused.
    theirs, ours
        In words.
    enough
        Whether the plan is not below the limit.
    """

    field: str
    limit: str
    rule: SessionRule
    theirs: str
    ours: str
    enough: bool

    @classmethod
    def numbers(cls, field: str, rule: SessionRule, theirs: int, ours: int) -> Self:
        """Of two counts."""
        return cls(field, f"smallest_{field}", rule, str(theirs), str(ours), theirs >= ours)


class Safety(BaseModel):
    """The limits of one site.

    Attributes
    ----------
    smallest_colluding
        So many nodes of a group may tell their own noise, at least; the others carry the dose. In a group
        of fewer nodes, all but one. Where aggregators add the noise, nodes have none to tell.
    smallest_corrupt
        At least this fraction of a group may work with a malicious aggregator (all profiles: pool shares).
    smallest_corrupt_holders
        So many holders of a committee may work with the aggregator, at least.
    profile
        What the aggregator is expected to do, at least: `malicious` is more than `semi-honest`.
    key_exchange
        What boxes for a committee are sealed with, at least: `hybrid` is more than `x25519`, which a quantum
        computer would open. Other protocols have X25519 only, and nothing to choose.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    smallest_colluding: int = Field(ge=0)
    smallest_corrupt: float = Field(ge=0, lt=1)
    smallest_corrupt_holders: int = Field(ge=0)
    profile: Profile
    key_exchange: KeyExchange

    def check_safety(self, plan: Plan, federation: Federation, session: Session, group: int) -> None:
        """Raise `RefusedSession` for a plan that withstands less than this in a group of the session."""
        for compared in self.compared(plan, federation, len(session.groups[group])):
            if not compared.enough:
                raise RefusedSession(
                    compared.rule,
                    f"{compared.field} is {compared.theirs} in the plan; we want at least {compared.ours} "
                    f"({compared.limit})",
                )

    def compared(self, plan: Plan, federation: Federation, size: int) -> Iterator[Compared]:
        """What the plan withstands in a group of `size`, beside each limit that applies."""
        protocol = federation.protocol
        if not plan.proven:
            least = min(self.smallest_colluding, size - 1)
            yield Compared.numbers("colluding", SessionRule.NOISE_SHARES, plan.colluding, least)
        if isinstance(protocol, DoubleMasking):
            order = get_args(Profile)
            enough = order.index(protocol.profile) >= order.index(self.profile)
            yield Compared(
                "profile", "profile", SessionRule.IDENTITIES, protocol.profile, self.profile, enough
            )
            withstood, needed = protocol.withstands(size), part_of(size, self.smallest_corrupt)
            stated = getattr(protocol, "corrupt", None)
            theirs = f"{withstood} of {size} nodes" if stated is None else f"{stated}"
            ours = f"{self.smallest_corrupt} ({needed} nodes)"
            enough = withstood >= needed and (stated is None or stated >= self.smallest_corrupt)
            yield Compared("corrupt", "smallest_corrupt", SessionRule.SIZING, theirs, ours, enough)
        if (holders := getattr(protocol, "corrupt_holders", None)) is not None:
            yield Compared.numbers(
                "corrupt_holders", SessionRule.THRESHOLD, holders, self.smallest_corrupt_holders
            )
        if (kind := getattr(protocol, "key_exchange", None)) is not None:
            order = get_args(KeyExchange)
            enough = order.index(kind) >= order.index(self.key_exchange)
            yield Compared(
                "key_exchange", "key_exchange", SessionRule.IDENTITIES, kind, self.key_exchange, enough
            )
