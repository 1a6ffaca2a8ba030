"""Nodes that hold their quotas, where a record more takes another's place: there it moves most."""

import numpy as np

from securenb.schema.increments import Increments
from securenb.schema.records import Records
from securenb.schema.schema import Schema


def filled(layout: Schema) -> Records:
    """Records that fill a node's quotas and give way to others before them; none without quotas."""
    quotas = layout.quotas if isinstance(layout, Increments) else ()
    labels = np.repeat(np.arange(len(quotas), dtype=np.int32), quotas)
    return Records(np.zeros((len(labels), len(layout.features)), dtype=np.int32), labels)


def most_held(layout: Schema, record_cap: int) -> int:
    """The most that a node with so many records holds on a coordinate, in units of what one record adds."""
    return layout.largest(record_cap) // layout.reach
