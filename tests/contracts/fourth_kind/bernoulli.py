"""Yes or no, one coordinate: the file that a fourth kind of feature takes, and all that it takes."""

from dataclasses import dataclass

import numpy as np

from protocols.validity import Form, Range
from securenb.schema.cells import look_up
from securenb.schema.feature import Feature, Query
from securenb.schema.records import UNKNOWN


@dataclass(frozen=True)
class Bernoulli(Feature):
    """A column of yes and no, of which the number of yeses is counted.

    It leaves out what only some methods need: `sums_of`, `legal`, `product` and a certificate.
    """

    name: str
    yes: str = "yes"
    no: str = "no"

    size = 2
    queries = (Query("yeses", 1, 1, 1),)

    @property
    def coordinates(self):
        return (f"yeses of {self.name}",)

    def encode(self, column):
        return look_up(column, lambda text: {self.no: 0, self.yes: 1}.get(text, UNKNOWN))

    def decode(self, codes):
        return [(self.no, self.yes)[code] for code in codes.tolist()]

    def canonical(self):
        return ["bernoulli", self.name, self.yes, self.no]

    def added(self, codes):
        return codes.astype(np.int64)[:, None]

    def estimate(self, sums, counts, smoothing):
        seen = np.clip(sums, 0.0, counts[..., None])
        known = np.broadcast_to(counts[..., None] >= 1, sums.shape)
        return (seen + smoothing) / (counts[..., None] + 2 * smoothing), known

    def closest(self, average):
        return (average[..., 0] > 0.5).astype(np.int64)

    def draw(self, parameters, count, rng):
        return (rng.random(count) < parameters[0]).astype(np.int32)

    def log_density(self, parameters, codes):
        return np.log(np.where(codes == 1, parameters[..., 0], 1 - parameters[..., 0]))

    def describe(self, parameters):
        return [f"yes ({share:.2f})" for share in parameters[:, 0]]

    def points(self, parameters):
        return np.sqrt(parameters)

    def parameters_at(self, points):
        return points**2

    def invariants(self, count, start, cap):
        return [
            Range("yeses out of range", Form(((start, 1),)), cap),
            Range("more yeses than records", Form(((count, 1), (start, -1))), cap),
        ]

    def nearest_valid(self, sums, claimed, counts):
        scaled = np.rint(sums[:, 0] * counts / np.maximum(claimed, 1.0))
        return np.clip(scaled, 0, counts).astype(np.int64)[:, None]
