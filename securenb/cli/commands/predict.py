"""`securenb predict`: the classes of new records, by a saved model."""

import csv
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import typer

from securenb.data.reader import read_codes
from securenb.experiments.saved_model import SavedModel


def command(
    model: Annotated[Path, typer.Argument(help="A model's file, or the run folder that it is in.")],
    file: Annotated[Path, typer.Argument(help="Records, as for training but without a label; - for stdin.")],
    probabilities: Annotated[  # noqa: FBT002 - flags of the command line
        bool, typer.Option("--probabilities", help="Add the probability of each class.")
    ] = False,
    ignore_unknown: Annotated[  # noqa: FBT002
        bool, typer.Option("--ignore-unknown", help="Leave out what the schema does not have, cell by cell.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="A CSV file to write; by default standard output.")] = None,
) -> None:
    """Predict, as CSV: the row of each record in its file, its class, and if asked for the probabilities.

    A missing cell says nothing, and the prediction rests on the others.
    """
    saved = SavedModel.read(model).model
    with _written(out) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        classes = [f"p({name})" for name in saved.schema.classes] if probabilities else []
        writer.writerow(["row", saved.schema.label, *classes])
        for chunk, codes in read_codes(file, saved.schema):
            if not ignore_unknown:
                saved.schema.refuse_values(chunk.table, codes, chunk.rows)
            if len(codes):
                shares = saved.proba_of_codes(codes)
                names = np.asarray(saved.schema.classes, dtype=object)[saved.predict_codes(codes)]
                more = shares.tolist() if probabilities else [()] * len(codes)
                writer.writerows(
                    [row, name, *each] for row, name, each in zip(chunk.rows, names, more, strict=True)
                )


@contextmanager
def _written(out: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears when it is complete."""
    if out is None:
        # predictions are small; printed when all rows were good
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as kept:
            yield kept
            kept.seek(0)
            for line in kept:
                sys.stdout.write(line)
        return
    handle, draft = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.absolute().parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            yield stream
        Path(draft).chmod(0o644)
        Path(draft).replace(out)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
