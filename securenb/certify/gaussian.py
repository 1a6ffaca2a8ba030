"""How much, and how little, a Gaussian can be made to say about a point by records added to its class.

The records are known by what the invariants (`securenb.schema.invariants`) ask of them: how many, a; their
sum s; and the sum of their squares q, with max(s, s²/a) ≤ q ≤ Q·s. With A and M the first and second
moments around the point of all records of the class, the log density falls as |A| grows at equal M. So both
extremes lie on the border of that region: on the lines q = Q·s and q = s, or on the parabola q = s²/a. Along
each, the density is stationary where a cubic vanishes; it can also turn where the variance meets its bounds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.certify.reach import Held, reach
from securenb.schema.cells import Codes
from securenb.schema.features.numeric import GRID_VARIANCE, Numeric


@dataclass(frozen=True)
class Placement:
    """Where added records are best put: their sum and sum of squares on the grid 0 … Q, not centred."""

    sums: Floats
    squares: Floats

    def centred(self, feature: Numeric, added: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whole ones as statistics hold them, shape (n, 2)."""
        offset, s, q = feature.offset, self.sums.astype(np.int64), self.squares.astype(np.int64)
        c = s - offset * added
        return np.stack([c, q - 2 * offset * c - (offset**2 + feature.square_offset) * added], axis=1)


@dataclass(frozen=True)
class GaussianReach:
    """One numeric feature in one class.

    Parameters
    ----------
    feature
        Says what the grid is.
    count, centred, squares
        The class's records, and the feature's sum and sum of squares as statistics hold them.
    """

    feature: Numeric
    count: int
    centred: int
    squares: int

    @property
    def plausible(self) -> bool:
        """Whether the mean is within the bounds, so that no added records take it out of them.

        Otherwise, which only noise can do, reach is bounded by the ranges of mean and variance apart.
        """
        total = self.centred + self.feature.offset * self.count
        if self.count == 0:
            return self.centred == self.squares == 0
        return self.count > 0 and 0 <= total <= self.feature.steps * self.count

    def bounds(self, codes: Floats, added: Floats) -> tuple[Floats, Floats]:
        """The least and the most log density at each point, over all real placements of so many records.

        Parameters
        ----------
        codes, added
            Points on the grid and numbers of added records; broadcast against each other.
        """
        if not self.plausible:
            return self._apart(codes, added)
        least: Floats | None = None
        most: Floats | None = None
        for place in self._candidates(codes, added):
            density = self.density(codes, added, place)
            least = density if least is None else np.minimum(least, density)
            most = density if most is None else np.maximum(most, density)
        assert least is not None
        assert most is not None
        return least, most

    def addition(self, codes: Codes, added: Integers, *, most: bool) -> Integers:
        """See `Reach.addition`."""
        found = self.best(codes.astype(np.float64), added.astype(np.float64), most=most)
        return found.centred(self.feature, added)

    def best(self, codes: Floats, added: Floats, *, most: bool) -> Placement:
        """Integers within the invariants that come near the one or the other extreme."""
        sign, top = 1.0 if most else -1.0, self.feature.steps
        shape = np.broadcast_shapes(codes.shape, added.shape)
        value, sums, squares = np.full(shape, -np.inf), np.zeros(shape), np.zeros(shape)
        for candidate in self._candidates(codes, added):
            for step in (-1, 0, 1, 2):
                s = np.clip(np.floor(candidate.sums) + step, 0, top * added)
                least = np.maximum(s, np.ceil(s**2 / np.maximum(added, 1)))
                # for one sum, the density rises with the variance up to the squared distance, then falls
                evenly = np.floor(self._squares_of_distance(codes, added, s)) if most else least
                for q in (
                    least,
                    np.clip(evenly, least, top * s),
                    np.clip(evenly + 1, least, top * s),
                    top * s,
                ):
                    density = sign * self.density(codes, added, Placement(s, q))
                    better = density > value
                    value = np.where(better, density, value)
                    sums, squares = np.where(better, s, sums), np.where(better, q, squares)
        return Placement(sums, squares)

    def _squares_of_distance(self, codes: Floats, added: Floats, sums: Floats) -> Floats:
        """The added squares that make the variance the squared distance of the mean from the point."""
        feature, total = self.feature, np.maximum(self.count + added, 1.0)
        offset, shift = feature.offset, feature.square_offset
        centred = sums - offset * added
        mean = (self.centred + centred) / total
        wanted = (mean**2 + (codes - offset - mean) ** 2 - shift) * total - self.squares
        squares: Floats = wanted + 2 * offset * centred + (offset**2 + shift) * added
        return squares

    def density(self, codes: Floats, added: Floats, place: Placement) -> Floats:
        """The log density that the model gives, see `securenb.bayes.parameters.estimate`."""
        feature, total = self.feature, self.count + added
        offset, shift = feature.offset, feature.square_offset
        centred = place.sums - offset * added
        squares = place.squares - 2 * offset * centred - (offset**2 + shift) * added
        safe = np.maximum(total, 1.0)
        mean = np.clip((self.centred + centred) / safe, -offset, feature.steps - offset)
        variance = (self.squares + squares) / safe + shift - mean**2
        return self._log(codes - offset, total, mean, np.clip(variance, GRID_VARIANCE, feature.steps**2 / 4))

    def _log(self, values: Floats, total: Floats, mean: Floats, variance: Floats) -> Floats:
        steps = self.feature.steps
        undefined = total < 1
        mean = np.where(undefined, steps / 2 - self.feature.offset, mean)
        variance = np.where(undefined, steps**2 / 12, variance)
        density: Floats = -0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance)
        return density

    def _candidates(self, codes: Floats, added: Floats) -> list[Placement]:
        """Where an extreme can be: corners of the region, stationary points, and where bounds are met."""
        codes, added = np.broadcast_arrays(codes, added)
        top, offset = float(self.feature.steps), self.feature.offset
        total = np.maximum(self.count + added, 1.0)
        values = codes - offset
        # moments of what is there, around the point, by all records
        first = (self.centred - values * self.count) / total
        second = (
            self.squares
            + self.feature.square_offset * self.count
            - 2 * values * self.centred
            + values**2 * self.count
        ) / total
        # the variance is least with all that is added at the mean
        bends = self._bends(second - first**2 * total / self.count if self.count else np.zeros(1))
        found = [Placement(z * added, z * z * added) for z in (0.0, 1.0, top)]
        for slope, end in ((top, top), (1.0, 1.0)):
            tilt = slope - 2 * codes
            # on the line the second moment is level + tilt · A, all by all records
            level = second + codes * (slope - codes) * added / total - tilt * first
            for moment in _on_line(tilt, level, bends):
                sums = np.clip((moment - first) * total + codes * added, 0.0, end * added)
                found.append(Placement(sums, slope * sums))
        share = added / total
        for where in _on_parabola(share, 1 - share, first, second, bends):
            mean = np.clip(where + codes, 1.0, top)
            found.append(Placement(mean * added, mean**2 * added))
        return found

    def _bends(self, least: Floats) -> tuple[float, ...]:
        """Bounds that the variance, `least` at least, may meet."""
        offset, top = self.feature.offset, self.feature.steps
        total = self.centred + offset * self.count
        square = self.squares + 2 * offset * self.centred
        square += (offset**2 + self.feature.square_offset) * self.count
        if square <= top * total and (least >= GRID_VARIANCE).all():
            return ()
        return (GRID_VARIANCE, top**2 / 4)

    def _apart(self, codes: Floats, added: Floats) -> tuple[Floats, Floats]:
        """Bounds from the ranges of mean and variance, as if each could be chosen alone."""
        feature, total = self.feature, self.count + added
        offset, safe = feature.offset, np.maximum(self.count + added, 1.0)
        low, high = (
            np.clip((self.centred + end * added) / safe, -offset, feature.steps - offset)
            for end in (-offset, feature.steps - offset)
        )
        farthest = max(offset, feature.steps - offset) ** 2
        smallest = (self.squares + feature.square_offset * self.count) / safe
        nearest = np.where((low < 0) & (high > 0), 0.0, np.minimum(low**2, high**2))
        ends = [smallest - np.maximum(low**2, high**2), smallest + farthest * added / safe - nearest]
        narrow, wide = (np.clip(end, GRID_VARIANCE, feature.steps**2 / 4) for end in ends)
        values = codes - offset
        far = np.where(values - low > high - values, low, high)
        near = np.clip(values, low, high)
        least = np.minimum(*(self._log(values, total, far, variance) for variance in (narrow, wide)))
        most = self._log(values, total, near, np.clip((values - near) ** 2, narrow, wide))
        return least, most


@reach.register
def _(feature: Numeric, held: Held) -> GaussianReach:
    return GaussianReach(feature, held.count, *held.sums.tolist())


def _on_line(tilt: Floats, level: Floats, bends: tuple[float, ...]) -> list[Floats]:
    """First moments A, by all records, at which the density may turn where the second is level + tilt · A.

    Stationary where A³ − tilt·A² + tilt²·A / 2 + tilt·level / 2 = 0, which rises with A.
    """
    p, q = tilt**2 / 6, -2 * tilt**3 / 27 + tilt**3 / 6 + tilt * level / 2
    root = np.cbrt(-q / 2 - np.copysign(np.sqrt(q**2 / 4 + p**3 / 27), q))
    turned = np.where(root == 0, 0.0, root - p / (3 * np.where(root == 0, 1.0, root)))
    found = [turned + tilt / 3]
    if bends:
        found.append(np.zeros_like(tilt))
    for bend in bends:
        root = np.sqrt(np.maximum(tilt**2 - 4 * (bend - level), 0.0))
        found += [(tilt + root) / 2, (tilt - root) / 2]
    return found


def _on_parabola(
    share: Floats, rest: Floats, first: Floats, second: Floats, bends: tuple[float, ...]
) -> list[Floats]:
    """Distances w from the point at which a `share` of all records, all alike, may turn the density.

    Stationary where share·rest²·w³ + share·(3·share − 4)·A·w² + (M − (2 − 3·share)·A²)·w + A³ = 0, with A
    and M the moments of the others, by all records.
    """
    cubic = share * rest**2
    safe = np.where(cubic > 0, cubic, 1.0)
    b = share * (3 * share - 4) * first / safe
    c = (second - (2 - 3 * share) * first**2) / safe
    found = _cubic_roots(b, c, first**3 / safe)
    if bends:
        found.append(-first / np.where(share > 0, share, 1.0))
        double = np.where(share * rest > 0, share * rest, 1.0)
    for bend in bends:
        root = np.sqrt(np.maximum((share * first) ** 2 - double * (second - first**2 - bend), 0.0))
        found += [(share * first + root) / double, (share * first - root) / double]
    return found


def _cubic_roots(b: Floats, c: Floats, d: Floats) -> list[Floats]:
    """The real roots of w³ + b·w² + c·w + d; where there is one, it is given three times."""
    p, q = c - b**2 / 3, b * (2 * b**2 / 27 - c / 3) + d
    gap = q**2 / 4 + p**3 / 27
    root = np.cbrt(-q / 2 - np.copysign(np.sqrt(np.maximum(gap, 0.0)), q))
    single = np.where(root == 0, 0.0, root - p / (3 * np.where(root == 0, 1.0, root)))
    size = 2 * np.sqrt(np.maximum(-p / 3, 0.0))
    cosine = np.clip(-4 * q / np.where(size > 0, size, 1.0) ** 3, -1.0, 1.0)
    angle = np.arccos(cosine)
    found = []
    for turn in range(3):
        w = np.where(gap > 0, single, size * np.cos((angle - 2 * np.pi * turn) / 3)) - b / 3
        for _ in range(2):  # Newton: what cancelled in the formula is put right
            slope = (3 * w + 2 * b) * w + c
            step = (((w + b) * w + c) * w + d) / np.where(slope == 0, np.inf, slope)
            w = np.where(np.abs(step) <= 1e-3 * (1 + np.abs(w)), w - step, w)
        found.append(w)
    return found
