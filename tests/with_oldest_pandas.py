"""Run tests under the oldest pandas that `pyproject.toml` allows: python tests/with_oldest_pandas.py TEST…

It is installed beside the environment, once, and put before it on the path: everything else stays as it is.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (oldest,) = (
        name.removeprefix("pandas>=") for name in project["dependencies"] if name.startswith("pandas>=")
    )
    folder = Path(sys.prefix) / "oldest" / f"pandas-{oldest}"
    if not folder.exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        if uv := shutil.which("uv"):
            pip = [uv, "pip", "install", "-q", "--python", sys.executable]
        draft = folder.with_suffix(".draft")
        wanted = ["--no-deps", "--only-binary", ":all:", f"pandas=={oldest}", "pytz", "tzdata"]
        subprocess.run([*pip, "--target", draft, *wanted], check=True)
        draft.rename(folder)
    paths = [str(folder), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    found = subprocess.run(
        [sys.executable, "-c", "import pandas; print(pandas.__version__)"],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    assert found == oldest, f"pandas {found} was imported, not {oldest}"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *sys.argv[1:]], cwd=ROOT, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    raise SystemExit(main())
