"""Which of a user's records are for testing, decided for each by itself.

The records that a round learns from must not depend on where in a file another one stands, or one more line
would move many of them, and the ledger charges for one. So a record is held out by what is in it: by a hash
of its codes, its label, the name of its node, and how many equal ones there are before it. One more record
changes the training records by at most itself.
"""

import numpy as np
from numpy.typing import NDArray

from protocols.canonical import digest
from securenb.schema.records import Records

ONE_IN = 10
"""One record in so many, on average."""

Hashes = NDArray[np.uint64]


def held_out_by_content(records: Records, holders: NDArray[np.object_] | None) -> NDArray[np.bool_]:
    """Which records are for testing, shape (n,); the same ones in whatever order they come.

    Parameters
    ----------
    holders
        The node of each record, where they are known.
    """
    hashes = np.zeros(len(records), dtype=np.uint64)
    for column in (*records.codes.T, records.labels):
        hashes = _mixed(hashes ^ column.astype(np.uint64))
    if holders is not None:
        names, places = np.unique(holders.astype(str), return_inverse=True)
        each = np.array([_name(name) for name in names], dtype=np.uint64)
        hashes = _mixed(hashes ^ each[places])
    order = np.argsort(hashes, kind="stable")
    _, starts, counts = np.unique(hashes[order], return_index=True, return_counts=True)
    before = np.empty(len(records), dtype=np.uint64)
    before[order] = np.arange(len(records)) - np.repeat(starts, counts)
    chosen: NDArray[np.bool_] = _mixed(_mixed(hashes ^ before)) % np.uint64(ONE_IN) == 0
    return chosen


def _mixed(values: Hashes) -> Hashes:
    """SplitMix64's output function (Steele, Lea and Flood, 2014): a bijection that spreads every bit."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _name(name: str) -> int:
    return int.from_bytes(digest("securenb hold-out", name)[:8], "big")
