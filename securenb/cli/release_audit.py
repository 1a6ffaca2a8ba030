"""What `securenb audit` does with what is no round of ours: a function, an estimator, released tables."""

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attacks.audit.black_box.release import Elsewhere
from attacks.audit.black_box.run import CONFIDENCE, audit, audit_released
from attacks.audit.finding import Audit
from securenb.privacy.sensitivity import Adjacency


@dataclass(frozen=True)
class ReleaseChoices:
    """What was asked on the command line about a release that is not ours.

    Attributes
    ----------
    function, estimator
        `module:name` or `file.py:name`; one of them, or neither for tables.
    released
        Two CSV files.
    arguments
        Of the estimator, as JSON.
    python
        The interpreter that runs the release.
    neighbours, data
        A file that defines `pairs()`, and a CSV file around which they are made.
    longest
        Seconds that one run may take.
    """

    epsilon: str | None
    delta: float | None
    function: str | None = None
    estimator: str | None = None
    released: tuple[Path, Path] | None = None
    arguments: str = "{}"
    python: str | None = None
    neighbours: Path | None = None
    data: Path | None = None
    adjacency: Adjacency = "add-remove"
    gaussian: bool = False
    reals: bool = False
    confidence: float | None = None
    trials: int | None = None
    seconds: float = 60.0
    longest: float = 10.0
    memory: int = 4096
    seed: int = 0

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """The choices, as JSON values."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def audit_choices(choices: ReleaseChoices, progress: Callable[[str], None]) -> Audit:
    """The audit that was asked for.

    Raises
    ------
    ValueError
        If choices do not go together, or the release cannot be run.
    """
    if choices.epsilon is None:
        raise ValueError("say with --epsilon what the release claims")
    try:
        epsilon = float(choices.epsilon)
    except ValueError:
        raise ValueError(f"epsilon must be a positive number, got {choices.epsilon}") from None
    common: dict[str, Any] = {
        "adjacency": choices.adjacency,
        "gaussian": choices.gaussian,
        "low_bits": not choices.reals,
        "confidence": choices.confidence or CONFIDENCE,
    }
    if sum(each is not None for each in (choices.function, choices.estimator, choices.released)) != 1:
        raise ValueError("audit one thing: a function, --estimator, or --released")
    if choices.released is not None:
        if choices.neighbours or choices.data or choices.python:
            raise ValueError("--released needs no --neighbours, --data or --python: the two files are all")
        return audit_released(*choices.released, epsilon, choices.delta or 0.0, **common)
    if choices.neighbours and choices.data:
        raise ValueError("give --neighbours or --data, not both")
    for path in (choices.neighbours, choices.data):
        if path is not None and not path.is_file():
            raise ValueError(f"there is no file {path}")
    given: dict[str, Any] = {
        "spec": choices.function or choices.estimator,
        "neighbours": choices.neighbours and str(choices.neighbours.absolute()),
        "data": choices.data and str(choices.data.absolute()),
        "adjacency": choices.adjacency,
    }
    if choices.estimator is not None:
        given["arguments"] = choices.arguments
    make = "open_function" if choices.function is not None else "open_estimator"
    release = Elsewhere(
        choices.python or sys.executable, make, given, longest=choices.longest, megabytes=choices.memory
    )
    try:
        return audit(
            release,
            epsilon,
            choices.delta or 0.0,
            runs=choices.trials,
            seconds=choices.seconds,
            seed=choices.seed,
            progress=progress,
            **common,
        )
    finally:
        release.close()


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return [str(part) for part in value] if isinstance(value, tuple) else value
