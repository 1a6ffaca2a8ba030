"""The invariants of honest statistics, as rules that a node can prove without showing anything.

With u = 0 … Q the grid of a numeric feature, n the count of a class, s and q the sum and the sum of
squares of u in it, and m the count of a level: m and n are not negative, the levels of every categorical
feature sum to n, all n sum to at most the cap, s ≤ Q·n, s ≤ q ≤ Q·s and s² ≤ n·q. What remains is what
some records of at most `cap` could do, up to rounding. Statistics hold s and q centred; the rules undo
that.
"""

from protocols.validity import Equality, Form, Product, Range, Validity
from securenb.schema.feature import Numeric
from securenb.schema.schema import Schema

CLASS_COUNT = "class count out of range"
CAP = "more records than the cap"
LEVEL_COUNT = "level count out of range"
LEVELS = "levels do not sum to the class count"
SUM = "sum out of range"
SQUARES = "squares out of range"
VARIANCE = "negative variance"


def invariants(schema: Schema, cap: int) -> Validity:
    """Every rule for the statistics of one node with at most `cap` records.

    Raises
    ------
    ValueError
        If the cap is below 1.
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
        for block in schema.blocks:
            columns = range(count + block.start, count + block.stop)
            if block.kind == "levels":
                ranges += [Range(LEVEL_COUNT, Form(((column, 1),)), cap) for column in columns]
                total = (*((column, 1) for column in columns), (count, -1))
                equalities.append(Equality(LEVELS, Form(total)))
            elif block.kind == "sum":
                feature = schema.features[block.feature]
                assert isinstance(feature, Numeric)
                found, product = _moments(feature, count, columns.start, cap)
                ranges += found
                products.append(product)
    return Validity(schema.length, tuple(ranges), tuple(equalities), tuple(products))


def _moments(feature: Numeric, count: int, column: int, cap: int) -> tuple[list[Range], Product]:
    """The rules of one numeric feature in one class; its sum stands at `column`, its squares next."""
    top, offset = feature.steps, feature.offset
    # with c the centred sum and d the centred sum of squares: s = c + offset · n and
    # q = d + 2 · offset · c + (offset² + square_offset) · n
    s = {count: offset, column: 1}
    q = {count: offset**2 + feature.square_offset, column: 2 * offset, column + 1: 1}

    def form(*parts: tuple[int, dict[int, int]]) -> Form:
        total: dict[int, int] = {}
        for factor, part in parts:
            for at, coefficient in part.items():
                total[at] = total.get(at, 0) + factor * coefficient
        return Form(tuple((at, coefficient) for at, coefficient in total.items() if coefficient))

    n = {count: 1}
    ranges = [
        Range(SUM, form((top, n), (-1, s)), top * cap),
        Range(SQUARES, form((1, q), (-1, s)), top * (top - 1) * cap),
        Range(SQUARES, form((top, s), (-1, q)), top**2 // 4 * cap),
    ]
    spread = (cap * top) ** 2 // 4
    return ranges, Product(VARIANCE, form((1, n)), form((1, q)), form((1, s)), spread)
