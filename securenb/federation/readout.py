"""From opened rows to a model: post-processing, then the rule."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from protocols.opened import Opened
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.federation.noise_plan import NoisePlan
from securenb.federation.postprocess import Refinement, consistent, noise_of_counts
from securenb.federation.submissions import Registry, identities
from securenb.robust.bounds import armed, check_counts
from securenb.robust.rule import Rows, Rule


@dataclass(frozen=True)
class Readout:
    """How opened rows become a model; the one function that rounds, sweeps, attacks and deployments use.

    Parameters
    ----------
    noise
        What the rows carry.
    rule
        Combines them.
    malicious
        The most nodes that may be malicious.
    refinement
        Free post-processing before the rule.
    registry
        Caps that nodes prove; `None` where nothing is proven.
    """

    noise: NoisePlan
    rule: Rule
    malicious: int
    refinement: Refinement
    registry: Registry | None = field(default=None)

    def rows(self, opened: Opened) -> Rows:
        """The opened rows, on the statistics' own grid."""
        return Rows.of(self.noise.schema, opened, self.noise.mechanism.grid)

    def variances(self, rows: Rows) -> Floats:
        """Variance of the noise in each column of each row, shape (g, width)."""
        of = lru_cache(self.noise.variances)
        return np.array([of(size) for size in rows.sizes.tolist()])

    def refined(self, rows: Rows) -> Rows:
        """Rows after the free post-processing: what the rule combines."""
        return self.refinement.refine(rows, self.variances(rows), self.rule, self.noise.tied)

    def ready(self, opened: Opened) -> tuple[Rule, Rows]:
        """The rule, told what it must withstand, and the rows that it combines.

        Raises
        ------
        ValueError
            If the rule does not withstand as many malicious nodes as there may be. One that relies on a
            cap is refused if so many nodes could hold half of what was opened: then labels can be flipped.
        """
        rows = self.rows(opened)
        if self.malicious and not self.rule.increments:
            check_counts(*self._counted(rows))
        rule = armed(self.rule, opened.members, self.malicious, proven=self.registry is not None)
        refined = self.refined(rows)
        if self.registry is not None and rule.capped and self.malicious:
            self._check_majority(self.registry, opened, refined)
        return rule, refined

    def model(self, opened: Opened) -> NaiveBayes:
        """The rule's model; a `ValueError` as `ready`."""
        rule, rows = self.ready(opened)
        additive = self.refinement.additive(rule, self.variances(self.rows(opened)))
        found, pooled = rule.model(rows), rule.pooled(rows) if additive else None
        return found if pooled is None else NaiveBayes(found.parameters, pooled)

    def _counted(self, rows: Rows) -> tuple[Rows, float]:
        """Rows with the class counts that a rule will see, and the largest deviation of their noise."""
        noise = self.variances(rows)
        if not self.refinement.consistency:
            return rows, float(np.sqrt(noise[:, 0].max()))
        tables = consistent(rows.schema, rows.tables.astype(np.float64), noise, self.noise.tied)
        found = noise_of_counts(rows.schema, noise, self.noise.tied) if noise.any() else noise
        return replace(rows, tables=np.floor(tables + 0.5).astype(np.int64)), float(np.sqrt(found.max()))

    def _check_majority(self, registry: Registry, opened: Opened, rows: Rows) -> None:
        total = int(np.maximum(rows.tables[..., 0].sum(axis=0), 0).sum())
        allowed = sorted(registry.allowed(n) for row in opened.members for n in identities(row))
        most = registry.cap * sum(allowed[len(allowed) - self.malicious :])
        if 2 * most >= total:
            raise ValueError(
                f"{self.malicious} malicious nodes may hold {most} of the {total} records that were opened; "
                "half of them can flip every label: allow fewer, or a lower cap"
            )
