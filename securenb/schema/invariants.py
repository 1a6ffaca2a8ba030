"""The invariants of honest statistics, as rules that a node can prove without showing anything.

With u = 0 … Q the grid of a numeric feature, n the count of a class, s and q the sum and the sum of
squares of u in it, and m the count of a level: m and n are not negative, the levels of every categorical
feature sum to n, all n sum to at most the cap, s ≤ Q·n, s ≤ q ≤ Q·s and s² ≤ n·q. What remains is what
some records of at most `cap` could do, up to rounding. Statistics hold s and q centred; the rules undo
that. Each kind of feature states its own (`Feature.invariants`).
"""

from protocols.validity import Equality, Form, Product, Range, Validity
from securenb.schema.schema import Schema

CLASS_COUNT = "class count out of range"
CAP = "more records than the cap"


def invariants(schema: Schema, cap: int) -> Validity:
    """Every rule for the statistics of one node with at most `cap` records.

    Raises
    ------
    ValueError
        If the cap is below 1, or the kind of a feature states no invariants.
    """
    if cap < 1:
        raise ValueError(f"a cap of {cap} leaves no node anything to contribute; it must be at least 1")
    ranges: list[Range] = []
    equalities: list[Equality] = []
    products: list[Product] = []
    counts = [row * schema.width for row in range(len(schema.classes))]
    ranges += [Range(CLASS_COUNT, Form(((count, 1),)), cap) for count in counts]
    ranges.append(Range(CAP, Form(tuple((count, -1) for count in counts), cap), cap))
    for count in counts:
        for feature, columns in zip(schema.features, schema.columns, strict=True):
            for rule in feature.invariants(count, count + columns.start, cap):
                match rule:
                    case Range():
                        ranges.append(rule)
                    case Equality():
                        equalities.append(rule)
                    case Product():
                        products.append(rule)
    return Validity(schema.length, tuple(ranges), tuple(equalities), tuple(products))
