"""The contract of a data set as checks: public bounds that cover it, content that is what was published."""

import numpy as np
import pandas as pd

from protocols.contract import Promise, check_all, expect, refused
from securenb.data.dataset import DatasetSource, split
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics


def _records(source: DatasetSource) -> list[Records]:
    return [source.schema.records(table) for table in source.read()]


def says_where_it_comes_from(source: DatasetSource) -> None:
    """It says its title, origin, licence and rows, and the fingerprint of its tables."""
    for name in ("title", "origin", "licence", "rows", "digest"):
        if not getattr(source, name, None):
            source.check(source.read())  # says what rows and digest would have to be
        expect(getattr(source, name, None), f"{name} is missing")
    expect(len(bytes.fromhex(source.digest)) == 32, f"digest is no SHA-256: {source.digest}")


def reads_the_same_each_time(source: DatasetSource) -> None:
    """It reads one table, or a training and a test table, the same each time, and just what it says."""
    tables, again = source.read(), source.read()
    expect(len(tables) in (1, 2), f"{len(tables)} tables: give one, or training and test")
    for table, other in zip(tables, again, strict=True):
        expect(table.equals(other), "read again, the table is another")
    source.check(tables)


def refuses_other_content(source: DatasetSource) -> None:
    """A changed label and a missing row are refused."""
    first, *others = source.read()
    label, (a, b) = source.schema.label, source.schema.classes[:2]
    changed = first.astype({label: str})
    changed.loc[changed.index[0], label] = b if changed[label].iloc[0] == a else a
    with refused("a changed label"):
        source.check([changed, *others])
    with refused("a missing row"):
        source.check([first.iloc[1:], *others])


def fits_its_schema(source: DatasetSource) -> None:
    """Every level and label is in the schema, and public bounds clip no record."""
    for table in source.read():
        for feature in source.schema.features:
            column = table[feature.name]
            if feature.bounds is not None:
                inside = pd.to_numeric(column).between(*feature.bounds)
                outside = column[~inside].head(3).tolist()
                expect(inside.all(), f"{feature.name} is outside of its public bounds in {outside}")
        records = source.schema.records(table)
        unknown = [
            feature.name
            for at, feature in enumerate(source.schema.features)
            if (records.codes[:, at] < 0).any()
        ]
        expect(not unknown, f"values of {', '.join(unknown)} are not among the levels")


def has_every_class(source: DatasetSource) -> None:
    """Every class occurs in training, and statistics of the parts add up to those of all."""
    parts = _records(source)
    train, test = parts if len(parts) == 2 else split(parts[0], 0)
    missing = set(range(len(source.schema.classes))) - set(train.labels.tolist())
    expect(not missing, f"no training record is {[source.schema.classes[index] for index in missing]}")
    expect(len(test) > 0, "there is no record to be judged on")
    together = Statistics.of(source.schema, Records.concatenate(train, test))
    same = together == Statistics.of(source.schema, train) + Statistics.of(source.schema, test)
    expect(same, "the statistics of all records are not the sum over the parts")


def can_be_histograms(source: DatasetSource) -> None:
    """Its numbers can be binned over public edges."""
    binned = source.schema.histogram()
    numbers = [feature for feature in binned.features if feature.bounds is not None]
    expect(all(feature.partition for feature in numbers), "numbers are left")
    codes = binned.records(source.read()[0]).codes
    expect(np.all(codes >= 0), "some numbers are in no bin")


PROMISES: tuple[Promise[DatasetSource], ...] = (
    says_where_it_comes_from,
    reads_the_same_each_time,
    refuses_other_content,
    fits_its_schema,
    has_every_class,
    can_be_histograms,
)


def check_dataset(source: DatasetSource | type[DatasetSource]) -> tuple[str, ...]:
    """Try the contract on a data set; the promises that it kept, in words.

    Raises
    ------
    BrokenContract
        With a case for each promise that is broken.
    """
    return check_all(source() if isinstance(source, type) else source, PROMISES)
