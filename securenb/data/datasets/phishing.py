"""Website Phishing: is a web page a trap? 1 250 pages, nine features of two or three levels.

Source: Neda Abdelhamid, "Website Phishing" (2014), UCI data set 379, CC BY 4.0; in the form packaged by
river 0.26 (`river.datasets.Phishing`), which renames the features, rescales UCI's codes -1, 0, 1 to
0, 0.5, 1, and leaves out the 103 pages that UCI calls suspicious. The file is small and ships inside this
package as river has it, so that it needs no download.

By UCI's description 702 pages are phishing and 548 legitimate, and in this table 702 labels are 0 and 548
are 1: the label that river calls `is_phishing` marks the legitimate ones. It is kept as it comes.

Levels: the rescaled codes of UCI's phishing, suspicious and legitimate; two features have two of them.
"""

import gzip
from importlib import resources
from io import BytesIO

import pandas as pd

from securenb.data.dataset import DatasetSource
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

_THREE = ("0.0", "0.5", "1.0")
_TWO = ("0", "1")


class Phishing(DatasetSource):
    """UCI Website Phishing, shipped."""

    title = "Website Phishing"
    origin = "https://archive.ics.uci.edu/dataset/379/website+phishing"
    schema = Schema(
        classes=_TWO,
        features=(
            Categorical("empty_server_form_handler", _THREE),
            Categorical("popup_window", _THREE),
            Categorical("https", _THREE),
            Categorical("request_from_other_domain", _THREE),
            Categorical("anchor_from_other_domain", _THREE),
            Categorical("is_popular", _THREE),
            Categorical("long_url", _THREE),
            Categorical("age_of_domain", _TWO),
            Categorical("ip_in_url", _TWO),
        ),
        label="is_phishing",
    )
    rows = (1250,)
    digest = "2d855942a1592bff0f0bc5a5a2e39bbbd030a02af2d9b38b6e986a43120388d3"

    def read(self) -> list[pd.DataFrame]:
        """See `DatasetSource.read`; the file is always there."""
        packed = (resources.files("securenb.data.datasets") / "phishing.csv.gz").read_bytes()
        return [pd.read_csv(BytesIO(gzip.decompress(packed)), dtype=str)]
