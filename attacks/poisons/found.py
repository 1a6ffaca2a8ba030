"""Found: sends what a search found, from the file that it was kept in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import flipped
from attacks.toolkit.kept import Kept, kept_in, label_of


@dataclass(frozen=True)
class Found(Poison):
    """Replays an attack that `securenb attack … --search-seconds` or `attacks.search` found.

    Of the attacks in the file it sends the one that was found for this setting; where there is none, the
    one for the same rule and the nearest number of malicious nodes, else the nearest of all. Tables go to
    the malicious nodes in turn. What was found on one deal of records is sent on every other.

    Uses the schema, the rule's name, the numbers of nodes and of malicious ones, group size, cap and
    mechanism.

    Parameters
    ----------
    path
        The file; without one flipped labels are sent, which is where searches begin.
    """

    path: str = ""

    against_rule: ClassVar[bool] = True

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`.

        Raises
        ------
        ValueError
            If the file cannot be read, or is for another schema.
        """
        if not self.path:
            return list(flipped(known.own))
        digest, found = kept_in(self.path)
        if digest != known.schema.digest.hex():
            raise ValueError(f"{self.path} holds attacks on another schema than that of these nodes")
        best = min(found, key=lambda kept: self._distance(kept, known))
        return [best.tables[index % len(best.tables)] for index in range(len(known.own))]

    @staticmethod
    def _distance(kept: Kept, known: Knowledge) -> tuple[bool, int, bool, bool, bool]:
        mechanism = "" if known.noise is None else repr(known.noise.mechanism)
        return (
            kept.rule != label_of(known.rule),
            abs(kept.malicious - len(known.own)),
            kept.group_size != known.group_size,
            kept.cap != known.cap,
            kept.mechanism != mechanism,
        )
