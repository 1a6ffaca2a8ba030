"""SPECT heart images: is a patient's heart normal? 267 patients, 22 binary features.

Source: Krzysztof Cios, Lukasz Kurgan and Lucy Goodenday (2001), UCI data set 95; UCI's own training file (80
patients) and test file (187). The label is the first column, the overall diagnosis: 1 is abnormal.

Levels: UCI documents every feature, a partial diagnosis of a region of the heart, as 0 or 1.
"""

from securenb.data.uci import TableFile, UciSource
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

_REGIONS = tuple(f"F{number}" for number in range(1, 23))


class Spect(UciSource):
    """UCI SPECT Heart, with UCI's split."""

    title = "SPECT Heart"
    origin = "https://archive.ics.uci.edu/dataset/95/spect+heart"
    folder = "SPECT_Heart"
    files = (TableFile(("SPECT.train",)), TableFile(("SPECT.test",)))
    columns = ("diagnosis", *_REGIONS)
    schema = Schema(
        classes=("0", "1"),
        features=tuple(Categorical(region, ("0", "1")) for region in _REGIONS),
        label="diagnosis",
    )
    rows = (80, 187)
    digest = "9efac19664c22d328b96334c011240f7017edda78d55d86b15c71c43a68233c3"
