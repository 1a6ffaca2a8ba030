"""Parquet files, some rows at a time; needs the extra `parquet`."""

from collections.abc import Generator
from typing import BinaryIO

import pandas as pd

from securenb.data.csv_rows import Chunk

_NULLABLE = {
    f"{sign}int{bits}": f"{sign.upper()}Int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
} | {"bool": "boolean"}


def parquet_chunks(stream: BinaryIO, rows: int) -> Generator[Chunk, None, None]:
    """At most so many rows at a time; each cell means what it means in the CSV file of the same table.

    Raises
    ------
    ValueError
        If pyarrow is not installed, or this is no Parquet file.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ValueError("is Parquet, which needs pyarrow: pip install 'securenb[parquet]'") from None
    # with pandas' usual types a whole number would be a float in a chunk in which another one is missing
    types = {pa.type_for_alias(name): pd.api.types.pandas_dtype(dtype) for name, dtype in _NULLABLE.items()}
    # what pandas noted when it wrote the file would make a column the index, and may be damaged
    to_pandas = {"types_mapper": types.get, "ignore_metadata": True}
    try:
        file = pq.ParquetFile(stream)
        empty = file.schema_arrow.empty_table().to_pandas(**to_pandas)
        yield Chunk(range(0), empty.rename(columns=str.strip))
        first = 2
        for batch in file.iter_batches(batch_size=rows):
            table = batch.to_pandas(**to_pandas).rename(columns=str.strip)
            yield Chunk(range(first, first + len(table)), table)
            first += len(table)
    except pa.ArrowException as error:
        raise ValueError(f"is no Parquet file that can be read: {str(error).splitlines()[0]}") from None
