"""What holds for every data set."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from securenb.checks import check_dataset
from securenb.checks.dataset import PROMISES
from securenb.data.dataset import DATASETS, load_dataset


@cache
def tables_of(name: str) -> tuple[pd.DataFrame, ...]:
    return tuple(DATASETS[name]().read())


pytestmark = pytest.mark.parametrize("name", list(DATASETS))


def test_it_loads_as_published_with_every_record_in_one_part(name, dataset):
    data = dataset(name)
    assert data.name == name
    assert len(data.train) + len(data.test) == sum(DATASETS[name].rows)
    if len(DATASETS[name].rows) == 2:
        assert (len(data.train), len(data.test)) == DATASETS[name].rows
    else:
        assert len(data.test) == round(sum(DATASETS[name].rows) / 10)


def test_all_codes_and_labels_are_in_the_schema(name, dataset):
    data = dataset(name)
    for records in (data.train, data.test):
        assert records.codes.shape == (len(records), len(data.schema.features))
        assert records.labels.min() >= 0
        assert records.labels.max() < len(data.schema.classes)
        for column, feature in enumerate(data.schema.features):
            size = feature.size
            assert records.codes[:, column].min() >= 0
            assert records.codes[:, column].max() < size


def test_it_splits_the_same_each_time_and_otherwise_for_another_seed(name, dataset):
    data, again, other = dataset(name), load_dataset(name), load_dataset(name, seed=1)
    assert (data.test.codes == again.test.codes).all()
    assert (data.train.labels == again.train.labels).all()
    given = len(DATASETS[name].rows) == 2
    assert given == np.array_equal(data.test.codes, other.test.codes)


def test_it_keeps_the_contract(name, dataset):
    dataset(name)
    source = DATASETS[name]
    # a table of millions of rows is read once; that reading repeats itself is checked of the small ones
    kept = type(source.__name__, (source,), {"read": lambda self: tables_of(name)})
    assert len(check_dataset(kept)) == len(PROMISES)


def test_its_origin_is_a_page(name):
    assert DATASETS[name].origin.startswith("https://")
