"""Rows a second and peak memory of the reader, on made-up files of Adult's shape: CSV, gzipped, Parquet.

    python benchmarks/reader.py [rows]

Each file is read in a process of its own, whose peak memory is told beside that of a tenth of the rows:
what grows is the codes, 4 bytes a cell. Parquet needs the extra `parquet`.
"""

import gzip
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from securenb.data.datasets.adult import Adult
from securenb.data.reader import read_records
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema

SCHEMA = Adult.schema
ROWS = 1_000_000


def made_up(schema: Schema, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Levels and whole numbers at random."""
    columns: dict[str, np.ndarray] = {}
    for feature in schema.features:
        if isinstance(feature, Categorical):
            columns[feature.name] = np.asarray(feature.levels, dtype=object)[
                rng.integers(len(feature.levels), size=rows)
            ]
        else:
            assert isinstance(feature, Numeric)
            columns[feature.name] = rng.integers(int(feature.lower), int(feature.upper) + 1, size=rows)
    columns[schema.label] = np.asarray(schema.classes, dtype=object)[
        rng.integers(len(schema.classes), size=rows)
    ]
    return pd.DataFrame(columns)


def measured(path: Path) -> tuple[float, float]:
    """Seconds of processor time, and peak memory in MB, of reading a file in a process of its own."""
    told = subprocess.run(
        [sys.executable, __file__, "--read", str(path)], check=True, capture_output=True, text=True
    ).stdout.split()
    return float(told[0]), float(told[1])


def read(path: Path) -> None:
    begun = time.process_time()
    records, _ = read_records(path, SCHEMA)
    seconds = time.process_time() - begun
    assert records.codes.shape[1] == len(SCHEMA.features)
    print(seconds, peak_memory())


def peak_memory() -> float:
    """MB; Linux says it of what this program did, and `getrusage` of the one that started it, too."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(rows: int) -> None:
    rng = np.random.default_rng(0)
    print(f"{len(SCHEMA.features)} features, {rows:,} rows of made-up records of Adult's shape")
    print(f"{'format':10} {'rows/s':>10} {'peak MB':>8} {'a tenth':>8} {'codes MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        whole, tenth = Path(folder) / "whole", Path(folder) / "tenth"
        frame = made_up(SCHEMA, rows, rng)
        kinds = ["csv", "quoted", "csv.gz", *(["parquet"] if find_spec("pyarrow") else [])]
        for kind in kinds:
            for path, part in ((whole, frame), (tenth, frame.iloc[: rows // 10])):
                match kind:
                    case "csv":
                        part.to_csv(path, index=False)
                    case "quoted":
                        part.to_csv(path, index=False, quoting=2)
                    case "csv.gz":
                        path.write_bytes(gzip.compress(part.to_csv(index=False).encode(), 1))
                    case "parquet":
                        part.to_parquet(path)
            (seconds, peak), (_, before) = measured(whole), measured(tenth)
            codes = 4 * rows * (len(SCHEMA.features) + 1) / 1e6
            print(f"{kind:10} {rows / seconds:10,.0f} {peak:8.0f} {before:8.0f} {codes:9.0f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
