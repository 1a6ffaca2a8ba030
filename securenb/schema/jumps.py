"""What goes with a number, and with its square, when it is replaced by another."""

MOST_OPTIONS = 64
"""A jump has no more options than that; beyond, neighbouring ones are made one that covers both."""


def jumps(lower: int, upper: int) -> list[tuple[int, int]]:
    """(|x - y|, |x² - y²|) for x, y in `lower` … `upper`, without those that others exceed in both.

    |x² - y²| = |x - y| · |x + y|, and for |x - y| = s, |x + y| is at most max(2 · upper, -2 · lower) - s.
    """
    furthest = max(2 * upper, -2 * lower)
    found: list[tuple[int, int]] = []
    for by in range(upper - lower, -1, -1):
        square = by * (furthest - by)
        if not found or square > found[-1][1]:
            found.append((by, square))
    size = -(-len(found) // MOST_OPTIONS)
    parts = [found[at : at + size] for at in range(0, len(found), size)]
    # in each part the first moves the sum most, the last the squares
    return [(part[0][0], part[-1][1]) for part in parts]
