"""Certificates of staircase sums, after the fact (`docs/staircase.md`, theorem 2).

Whatever f of the N nodes of an opened row sent, a certified prediction is that of the others alone, with this
row's noise and thresholds. It says nothing of nodes that might have joined, and it holds for each prediction
by itself.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.bayes.staircase.estimate import floor_of, shares, votes_of
from securenb.bayes.staircase.model import StaircaseModel
from securenb.certify.worst_addition import TIE
from securenb.schema.cells import Codes
from securenb.schema.records import UNKNOWN


@dataclass(frozen=True, eq=False)
class Ends:
    """The least and the largest score that a level can have had without the malicious nodes.

    Attributes
    ----------
    low, high
        Logarithms of rates plus a, shape (C, base width).
    """

    low: Floats
    high: Floats


def ends(model: StaircaseModel, malicious: int) -> Ends:
    """The box of scores if `malicious` nodes of the row are.

    With φ_j the malicious share of column j, here f / N for every column because quotas are equal, the votes
    of the others lie within [min(S, (S − φ) / (1 − φ)), max(S, S / (1 − φ))]; rates do not fall with votes.

    Raises
    ------
    ValueError
        If there are as many malicious nodes as nodes, or fewer than none.
    """
    if not 0 <= malicious < model.nodes:
        raise ValueError(f"of {model.nodes} nodes, 0 to {model.nodes - 1} may be malicious, not {malicious}")
    share = malicious / model.nodes
    layout, base = model.layout, model.layout.base
    # the floor is part of the public model, so it is the same at both ends
    floor = floor_of(layout, model.trim, model.nodes)
    low = np.zeros((len(layout.classes), base.width))
    high = low.copy()
    every = zip(votes_of(layout, model.trim), shares(layout, model.row, model.nodes), strict=True)
    for index, (meaning, features) in enumerate(every):
        for columns, votes in zip(base.columns, features, strict=True):
            least = np.minimum(votes, (votes - share) / (1 - share))
            most = np.maximum(votes, votes / (1 - share))
            low[index, columns] = np.log(meaning.rate(least) + floor)
            high[index, columns] = np.log(meaning.rate(most) + floor)
    return Ends(low, high)


def withstands(model: StaircaseModel, codes: Codes, malicious: int) -> NDArray[np.bool_]:
    """Which predictions are certified against so many malicious nodes of the row, shape (n,).

    Parameters
    ----------
    codes
        Of the points, shape (n, F).
    """
    box = ends(model, malicious)
    least, most = _scores(model, box.low, codes), _scores(model, box.high, codes)
    chosen = model.predict_codes(codes)
    at = np.arange(len(codes))
    own = least[at, chosen]
    most[at, chosen] = -np.inf
    certain: NDArray[np.bool_] = own > most.max(axis=1) + TIE  # rounding certifies nothing
    return certain


def radii(model: StaircaseModel, codes: Codes, most: int) -> NDArray[np.int64]:
    """The most malicious nodes that each prediction withstands, up to `most`, shape (n,); −1 for a tie."""
    found = np.full(len(codes), -1, dtype=np.int64)
    standing = np.arange(len(codes))
    for malicious in range(most + 1):
        certain = withstands(model, codes[standing], malicious)
        standing = standing[certain]
        found[standing] = malicious
        if not len(standing):
            break
    return found


def curve(withstood: NDArray[np.int64], right: NDArray[np.bool_], labels: Codes, most: int) -> pd.DataFrame:
    """Certified accuracy against the number of malicious nodes among those of the row, from none to `most`.

    Parameters
    ----------
    withstood
        `radii` of the points, shape (n,).
    right
        Which predictions are those of the labels.

    Returns
    -------
    pandas.DataFrame
        `malicious`, `certified_accuracy`, `certified_balanced_accuracy`, and `at_most`, the same: for one
        point there is nothing between certificate and attack (theorem 3).
    """
    classes = np.unique(labels)
    held = [right & (withstood >= count) for count in range(most + 1)]
    share = [float(np.mean(each)) for each in held]
    balanced = [float(np.mean([each[labels == label].mean() for label in classes])) for each in held]
    columns = {"certified_accuracy": share, "certified_balanced_accuracy": balanced, "at_most": share}
    return pd.DataFrame({"malicious": range(most + 1), **columns})


def _scores(model: StaircaseModel, logs: Floats, codes: Codes) -> Floats:
    """Sums of the levels' scores, shape (n, C); a value that the schema lacks is left out."""
    total = np.zeros((len(codes), len(logs)))
    for columns, column in zip(model.schema.columns, codes.T, strict=True):
        known = column != UNKNOWN
        total += np.where(known[:, None], logs[:, columns][:, np.where(known, column, 0)].T, 0.0)
    return total
