"""Our own rounds, as a target: one federation, seen in one of the views."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attacks.audit.black_box.outputs import Outputs
from attacks.audit.contributors import charged_laws, contributors, dose_of, drawn_by_others, strays
from attacks.audit.fewer import fewer_groups, smaller_groups
from attacks.audit.full_node import filled
from attacks.audit.noise_ranks import free_of_noise
from attacks.audit.path_checks import charged_again, fresh_bits, read_alone
from attacks.audit.peeking import concludes, peeking, peeking_by_size
from attacks.audit.recording import SharedSource
from attacks.audit.recording import traced as trace
from attacks.audit.round_checks import cap_heeded, noise_of_later_rounds, opened_as_sent, opened_with_enough
from attacks.audit.round_ends import ends
from attacks.audit.round_runs import Added, Sender, learned, runs
from attacks.audit.seen_round import SeenRound
from attacks.audit.target import Contributed, Frozen, Replay, Tape, Values
from protocols.party import AGGREGATOR
from securenb.data.node import Node
from securenb.federation.noise_plan import NoiseSources
from securenb.privacy.distributions import Distribution
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import Noise
from securenb.schema.records import Records

HELD = 60
"""Records of the first node in rounds that are run by messages."""


@dataclass(frozen=True, eq=False)
class FederationTarget(SeenRound):
    """The privacy of one record at one node.

    The other nodes' records are fixed, and left out: they shift what is released by a constant.
    """

    def encode(self, frame: pd.DataFrame) -> Records:
        """See `Target.encode`."""
        return self.schema.records(frame)

    def release(self, records: Records, noise: Noise) -> Values:
        """What one node sends, and one aggregator adds where aggregators do: by the round's own functions."""
        federation = replace(self.federation, sources=SharedSource(noise))
        node = Node(self.groups[self.group][0], Records.concatenate(records, filled(self.schema)))
        sent = federation.contribution(node, self.size)
        added = dose_of(federation)
        return sent if added is None else sent + added(AGGREGATOR, self.session, self.group)

    def replay(self, records: Any, *, traced: bool = True) -> Replay:
        """See `Target.replay`; one contributor's laws are taken as often as the view has contributors.

        That all of them ask for the same is what `streams` checks.
        """
        if not traced:
            frozen = Frozen()
            values = self.release(records, frozen)
            return Replay(values, tuple(frozen.calls), (), self.release(records, Tape(0)) - values)
        values, calls, laws = trace(lambda sources: self.release(records, sources("any")))
        lifted = (law.repeated(self.shares) if isinstance(law, Distribution) else law for law in laws)
        landed = self.release(records, Tape(0)) - values
        return Replay(values, tuple(calls), tuple(lifted), landed)

    def path(self, pool: pd.DataFrame) -> dict[str, str]:
        """See `Target.path`."""
        few, some = self.few(), self.encode(pool.head(HELD))
        found = {
            "a record is read by itself": read_alone(self.encode, pool),
            "sums are opened as they were sent, by messages too": opened_as_sent(
                few.federation, few.nodes, some
            ),
            "no row is opened with fewer nodes than its noise counts on": opened_with_enough(
                few.federation, few.nodes
            ),
            "a node with more records than the cap is refused": cap_heeded(self.federation, some),
        }
        if not isinstance(self.federation.mechanism, NoNoise):
            found["two rounds, and several records, are charged for"] = charged_again(
                self.federation, self.nodes
            )
            found["noise is made of fresh bits"] = fresh_bits()
            found["a later round draws other noise"] = noise_of_later_rounds(few.federation, few.nodes)
        return found

    def most_records(self) -> int:
        """See `Target.most_records`."""
        return self.federation.record_cap

    def relations(self) -> Sequence[str]:
        """See `Target.relations`: tapes of noise that span fewer dimensions than there are cells."""
        if isinstance(self.federation.mechanism, NoNoise):
            return ()
        return free_of_noise(partial(self.release, self.nodes[0].records[:0]), self.cells())

    def peeks(self, before: Records, after: Records, *, company: bool, noisy: bool) -> str:
        """See `Target.peeks`: two rounds of different records that open the same rows must end alike."""
        few = self._concluding
        return peeking(few.federation, few.nodes, before, after, company=company, noisy=noisy)

    def peeks_by_size(self, records: Records, *, noisy: bool) -> str:
        """See `Target.peeks_by_size`."""
        few = self._concluding
        return peeking_by_size(few.federation, few.nodes, records, noisy=noisy)

    @cached_property
    def _concluding(self) -> "FederationTarget":
        """As few nodes, in whole groups, as the rule makes a model of."""
        few = self.few()
        count = len(few.groups)
        while not concludes(few.federation, few.nodes) and count < len(self.groups):
            count = min(2 * count, len(self.groups))
            few = replace(self, nodes=self.nodes[: count * self.size])
        return few

    def contributed(self) -> Contributed | None:
        """See `Target.contributed`."""
        if isinstance(self.federation.mechanism, NoNoise):
            return None
        nothing = self.nodes[0].records[:0]
        drawn = partial(drawn_by_others, self.federation, self.session, self.size, nothing)
        return Contributed(charged_laws(self.federation, self.size), drawn)

    def streams(self) -> Sequence[str]:
        """See `Target.streams`: each contributor asks as charged, from a stream of its own, and adds all."""
        if isinstance(self.federation.mechanism, NoNoise):
            return ()
        found = contributors(self.federation, self.session, self.groups, self.nodes[0].records[:0])
        return strays(self.federation, found, partial(charged_laws, self.federation), self.cells())

    def rows(self) -> int:
        """See `Target.rows`."""
        return {"node": len(self.nodes), "group": len(self.groups)}.get(self.view, 1)

    def few(self) -> "FederationTarget":
        """See `Target.few`: as few nodes in each group as share a dose, and few such groups."""
        if self.federation.doses:
            return self
        federation, nodes, size = self.federation, self.nodes, self.size
        if self.view != "node":
            count = 1 if self.view == "group" else len(self.groups)
            federation, nodes = smaller_groups(federation, nodes, size, count)
        if federation is self.federation and self.view != "model":
            nodes = fewer_groups(federation, nodes, size)
        return replace(self, federation=federation, nodes=nodes)

    def contributors(self) -> int:
        """See `Target.contributors`."""
        return len(self.nodes)

    def sample(
        self, records: Any, columns: NDArray[np.int64], trials: int, rng: np.random.Generator
    ) -> Values:
        """See `Target.sample`: what contributors send by their own functions, with the product's samplers."""

        def fresh() -> NoiseSources:
            seed = int(rng.integers(1 << 62))
            return replace(self.federation, seed=seed, sources=None).noise_sources

        first = self.groups[self.group][0]

        def holder(sources: NoiseSources) -> Values:
            return self.release(records, sources(first))

        total = runs(holder, learned(holder), columns, trials, fresh)
        for added, sender in self._others:
            more = runs(added, sender, columns, len(total), fresh)
            total = total[: len(more)] + more
        return total

    @cached_property
    def _others(self) -> Sequence[tuple[Added, Sender | None]]:
        """All contributors that count but the one with records."""
        if self.federation.doses or self.view == "node":
            return ()
        groups = self.groups if self.view != "group" else (self.groups[self.group],)
        counted = {name for group in groups for name in group[: self.federation.noise.honest(len(group))]}
        counted -= {self.groups[self.group][0]}
        nothing = self.nodes[0].records[:0]
        found = contributors(self.federation, self.session, groups, nothing)
        return [(added, learned(added)) for name, _, added in found if name in counted]

    def ends(self, records: Any, trials: int, rng: np.random.Generator) -> Outputs:
        """See `Target.ends`."""
        seeds = [int(seed) for seed in rng.integers(1 << 62, size=trials)]
        return ends(self.federation, self.nodes, records, seeds, rows=self.view != "model")
