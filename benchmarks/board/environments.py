"""Environments of peers: pinned with hashes, made once, kept in a cache outside of the repository."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import platformdirs

HERE = Path(__file__).parent
OWN = "securenb"
"""Ours needs no environment: it runs in this interpreter, through the same door."""

ENVIRONMENTS = {
    "flower_rules": "flower",
    "flower_secagg": "flower",
    "tno_paillier": "tno",
    "python_dp": "python_dp",
}
"""Adapters whose requirements have another name than they."""


def adapters() -> dict[str, Path]:
    return {path.stem: path for path in sorted((HERE / "adapters").glob("*.py"))}


def requirements(name: str) -> Path:
    return HERE / "requirements" / f"{ENVIRONMENTS.get(name, name)}.txt"


def cache() -> Path:
    """`SECURENB_BOARD_ENVS`, or a folder of the user's cache."""
    given = os.environ.get("SECURENB_BOARD_ENVS")
    return Path(given) if given else platformdirs.user_cache_path("securenb") / "board"


def interpreter(name: str) -> Path:
    """The interpreter that has a peer; its environment is made if it is not there."""
    if name == OWN:
        return Path(sys.executable)
    wanted = requirements(name)
    digest = hashlib.sha256(wanted.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = cache() / f"{wanted.stem}-{digest}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "complete"
    if not done.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--require-hashes", "-r", wanted], check=True)
        done.touch()
    return python


def lock(name: str, *packages: str) -> None:
    """Write the requirements of a peer: what pip would install here now, each with its hash."""
    import json

    report = subprocess.run(
        [
            sys.executable,
            *("-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"),
            *packages,
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lines = []
    for each in json.loads(report)["install"]:
        meta = each["metadata"]
        sha = each["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{meta['name']}=={meta['version']} --hash=sha256:{sha}")
    head = f"# python -m benchmarks.board --lock {name} {' '.join(packages)}\n"
    requirements(name).write_text(head + "\n".join(sorted(lines, key=str.lower)) + "\n")
