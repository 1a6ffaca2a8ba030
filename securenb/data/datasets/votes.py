"""Congressional voting records: Democrat or Republican? 435 members of the US House, 16 votes of 1984.

Source: Congressional Quarterly Almanac (1985), donated by Jeff Schlimmer (1987), UCI data set 105. Not split
by UCI.

Levels are yea, nay and `?`, which UCI says is not an unknown value but a member who was present, absent or
otherwise took no side: a level like the others.
"""

from securenb.data.uci import TableFile, UciSource
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

_VOTES = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)


class Votes(UciSource):
    """UCI Congressional Voting Records."""

    title = "Congressional Voting Records"
    origin = "https://archive.ics.uci.edu/dataset/105/congressional+voting+records"
    folder = "Congressional_Voting_Records"
    files = (TableFile(("house-votes-84.data",)),)
    columns = ("party", *_VOTES)
    schema = Schema(
        classes=("democrat", "republican"),
        features=tuple(Categorical(vote, ("y", "n", "?"), missing="?") for vote in _VOTES),
        label="party",
    )
    rows = (435,)
    digest = "8004f97cf3b17d3e8cc796b690fecccbc047502c5bf1e6d78184d63c9b2938a1"
