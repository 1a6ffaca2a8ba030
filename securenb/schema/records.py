"""Records as small integers: what a node holds after encoding against the public schema."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1
"""The code of a value that the schema does not have."""


@dataclass(frozen=True, eq=False)
class Records:
    """Encoded records.

    Attributes
    ----------
    codes
        Level, bin or grid point of each feature, shape (n, F), int32.
    labels
        Class indices, shape (n,), int32.
    """

    codes: NDArray[np.int32]
    labels: NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.labels.shape != (len(self.codes),):
            raise ValueError(
                f"codes {self.codes.shape} and labels {self.labels.shape} do not belong together"
            )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: NDArray[np.int64] | NDArray[np.bool_] | slice) -> "Records":
        """Some of the records, by position or mask."""
        return Records(self.codes[index], self.labels[index])

    @staticmethod
    def concatenate(*parts: "Records") -> "Records":
        """All records of all parts, in order."""
        return Records(
            np.concatenate([part.codes for part in parts]), np.concatenate([part.labels for part in parts])
        )
