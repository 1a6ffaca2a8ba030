"""A log of JSON lines: what happened, to whom, when; never a value of a record or of a vector."""

import json
from datetime import UTC, datetime
from pathlib import Path


class Log:
    """Appends to a file.

    Parameters
    ----------
    path
        Made by the first line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, event: str, **fields: str | int | float | bool) -> None:
        """One line; the fields are what the caller knows to be public."""
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": moment, "event": event, **fields})
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def lines(self) -> list[dict[str, str | int | float | bool]]:
        """All whole lines so far."""
        if not self._path.exists():
            return []
        text = self._path.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
