"""One line of a file moves the statistics no further than one record may."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attacks.audit.file_level import edits, excess
from benchmarks.evidence.claim import Claim, Result
from protocols.ring import Integers
from securenb.data.partition import gather
from securenb.data.reader import read_records
from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.features.binned import LEVEL
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("a", "b"),
    (
        Categorical("x", ("01", "1", "1.0", "NA", "é", "a,b", '5"'), "NA"),
        Binned("n", (0, 10, 20), LEVEL),
        Numeric("m", -1, 1, missing=0),
    ),
    "y",
)
LINES = [
    "x,n,m,notes,y\n",
    "01,5,0.5,,a\n",
    '1,,,"two\n',
    'lines",b\n',
    '"a,b",12,-1,"say ""no""",a\n',
    "é,3,.1,free text,b\n",
    '"5""",3,1e-1,,b\n',
    "NA,99,-5,x,a\n",
]
FILES = LINES, [*LINES[:2], LINES[5], LINES[7]]
"""With quotations, and without, as the reader takes different ways."""

EDITS = 2_500


class LineEdits(Claim):
    """A hundred thousand edits of one line, in turn of a file with quotations and of one without."""

    says = "Of 100,000 edits of one line none that the reader accepts moves the statistics beyond the reach."
    code = (
        "attacks/audit/file_level.py",
        "securenb/data/csv_rows.py",
        "securenb/data/reader.py",
        "securenb/data/source.py",
        "securenb/schema",
    )
    seed = 0
    parts = 40

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of edits."""
        lines = [line.encode() for line in FILES[part % 2]]
        rng = np.random.default_rng([self.seed, part])
        total: Counter[str] = Counter(edits=0, compared=0, refused=0, unplaced=0, beyond=0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.csv"
            before = _moves(path, lines)
            for _, edit in zip(range(size or EDITS), edits(lines, SCHEMA, rng), strict=False):
                total["edits"] += 1
                try:
                    after = _moves(path, edit.lines)
                except ValueError as error:
                    total["refused"] += 1
                    total["unplaced"] += ": row " not in str(error)
                    continue
                total["compared"] += 1
                total["beyond"] += bool(excess(SCHEMA, before, after, edit.records))
        return {name: float(count) for name, count in total.items()}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`: also, every refusal names a row, and a quarter of the edits are compared."""
        enough = all(result["compared"] > result["edits"] / 4 for result in results)
        return enough and not any(result["beyond"] or result["unplaced"] for result in results)


def _moves(path: Path, content: Sequence[bytes]) -> dict[str, Integers]:
    path.write_bytes(b"".join(content))
    records, holders = read_records(path, SCHEMA, "y")  # any column may name the nodes
    assert holders is not None
    return {node.id: Statistics.of(SCHEMA, node.records).vector() for node in gather(records, holders)}
