#!/usr/bin/env python3
"""Set up and run securenb on a machine with only Python 3.11+ and git.

python3 run.py demo    the main job on data that ships with the package
python3 run.py test    every test that needs no extra; -m smoke: a selection in a minute
python3 run.py evidence [NAME] [--stale]   what takes longer, kept in docs/evidence
python3 run.py check   formatting, lint, types, layers, doctests
python3 run.py deploy-test   installs the extras for many machines, and runs their tests
python3 run.py oracle-test   installs other libraries' accountants, and compares ours with them
python3 run.py board [NAME]   installs other people's packages, each by itself, and judges them
python3 run.py docs    the documentation, into docs/_build/html
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
PYTEST = [PYTHON, "-m", "pytest", "-q"]
CLUSTERS = ["tests/flower", "tests/securenb/experiments/test_cluster.py"]
"""What needs Flower, Dask or Ray."""
TESTS = [*PYTEST, "-n", "auto", "--dist", "worksteal", *(f"--ignore={path}" for path in CLUSTERS)]
THE_DOOR = [
    "tests/securenb/schema",
    *(f"tests/securenb/data/test_{name}.py" for name in ("cases", "reader", "draft")),
]
"""What must not depend on the version of pandas."""
PACKAGES = ["securenb", "protocols", "attacks"]
NEED_FLOWER = ["protocols/engines/flower", "securenb/deploy/client_app", "securenb/deploy/server_app"]
COMMANDS = {
    "demo": [[PYTHON, "-m", "securenb", "demo"]],
    "test": [
        TESTS,
        [PYTHON, "tests/with_oldest_pandas.py", "-n", "auto", *THE_DOOR],
    ],
    "evidence": [[PYTHON, "-m", "benchmarks.evidence"]],
    "deploy-test": [
        [
            *PYTEST,
            "-n",
            "3",  # whatever the cores: a deployment in which a site dies waits half of its time
            "--dist",
            "loadfile",
            *CLUSTERS,
        ]
    ],
    "oracle-test": [[*PYTEST, "-n", "2", "tests/oracles"]],
    "board": [[PYTHON, "-m", "benchmarks.board"]],
    "docs": [
        [PYTHON, "docs/generate", "docs/reference"],
        [PYTHON, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", "docs/_build/html"],
    ],
    "check": [
        [PYTHON, "-m", "ruff", "format", "--check", "."],
        [PYTHON, "-m", "ruff", "check", "."],
        [PYTHON, "-m", "mypy"],
        [*PYTEST, "tests/test_layers.py"],
        [*PYTEST, "--doctest-modules", *(f"--ignore={path}.py" for path in NEED_FLOWER), *PACKAGES],
    ],
}
EXTRAS = {
    "demo": {"figures"},
    "test": {"test", "figures", "parquet"},
    "evidence": set(),
    "board": set(),
    "check": {"test", "check"},
    "docs": {"docs"},
    "deploy-test": {"test", "flower", "dask", "ray"},
    "oracle-test": {"test", "oracle"},
}
"""What each command needs beyond the package: no command installs tools that it does not use."""


def set_up(extras: set[str]) -> None:
    """Make `.venv` with the package and some of its extras, unless they are there already."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()
    stamp = VENV / "securenb.stamp"
    there = set(stamp.read_text().split()) if stamp.exists() and PYTHON.exists() else set()
    if {wanted, *extras} <= there:
        return
    print(
        f"securenb: setting up .venv (once){''.join(f', {extra}' for extra in sorted(extras))} ...",
        file=sys.stderr,
    )
    if wanted not in there:
        make_environment()
        there = {wanted}
    install(extras)
    stamp.write_text(" ".join(sorted(there | extras)))


def make_environment() -> None:
    """An empty `.venv`, in place of what is there."""
    if uv := shutil.which("uv"):
        subprocess.run([uv, "venv", "-q", "--clear", "--python", sys.executable, VENV], check=True)
        return
    try:
        from ensurepip import version  # Debian splits it off, leaving an empty package behind
    except ImportError:
        name = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        sys.exit(f"securenb: this Python cannot make environments; run: sudo apt-get install -y {name}")
    version()
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)


def install(extras: set[str]) -> None:
    """Install the package with some of its extras into the environment."""
    pip = [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if uv := shutil.which("uv"):
        pip = [uv, "pip", "install", "-q", "--python", PYTHON]
    chosen = f"[{','.join(sorted(extras))}]" if extras else ""
    subprocess.run([*pip, "-e", f"{ROOT}{chosen}"], check=True)


def main() -> int:
    """Run one command in the environment; its exit code is ours."""
    if sys.version_info < (3, 11):  # noqa: UP036 - run before anything checked it
        sys.exit(f"securenb: needs Python 3.11 or newer, this is {sys.version.split()[0]} ({sys.executable})")
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(f"usage: python3 run.py {{{'|'.join(COMMANDS)}}}")
    try:
        set_up(EXTRAS[sys.argv[1]])
    except subprocess.CalledProcessError as error:
        sys.exit(f"securenb: set-up failed (exit code {error.returncode}); the lines above say why")
    # a selection of one's own is no stage of the whole
    stages = COMMANDS[sys.argv[1]][: 1 if "-m" in sys.argv[2:] else None]
    for command in stages:
        code = subprocess.run([*command, *sys.argv[2:]], cwd=ROOT, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
