"""What holds for every data set."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from securenb.data.dataset import DATASETS, load_dataset
from securenb.schema.features import Numeric
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics


@cache
def tables_of(name: str) -> list[pd.DataFrame]:
    return DATASETS[name]().read()


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


def test_bounds_clip_no_record(name, dataset):
    # They are public knowledge about all there is, so they must cover it.
    dataset(name)
    source = DATASETS[name]
    for table in tables_of(name):
        for feature in source.schema.features:
            if isinstance(feature, Numeric):
                assert table[feature.name].between(feature.lower, feature.upper).all(), feature.name


def test_it_splits_the_same_each_time_and_otherwise_for_another_seed(name, dataset):
    data, again, other = dataset(name), load_dataset(name), load_dataset(name, seed=1)
    assert (data.test.codes == again.test.codes).all()
    assert (data.train.labels == again.train.labels).all()
    given = len(DATASETS[name].rows) == 2
    assert given == np.array_equal(data.test.codes, other.test.codes)


def test_any_change_of_the_content_is_refused(name, dataset):
    dataset(name)
    source = DATASETS[name]()
    tables = tables_of(name)
    source.check(tables)
    label = source.schema.label
    a, b = source.schema.classes[:2]
    changed = tables[0].astype({label: str})
    changed.loc[0, label] = b if changed[label].iloc[0] == a else a
    with pytest.raises(ValueError, match="differs from what was published"):
        source.check([changed, *tables[1:]])
    with pytest.raises(ValueError, match="rows"):
        source.check([tables[0].iloc[1:], *tables[1:]])


def test_the_statistics_of_all_records_are_the_sum_over_its_parts(name, dataset):
    data = dataset(name)
    together = Statistics.of(data.schema, Records.concatenate(data.train, data.test))
    assert together == Statistics.of(data.schema, data.train) + Statistics.of(data.schema, data.test)
    assert together.table[:, 0].sum() == sum(DATASETS[name].rows)


def test_every_class_occurs_in_training(name, dataset):
    data = dataset(name)
    assert set(data.train.labels.tolist()) == set(range(len(data.schema.classes)))


def test_numbers_can_be_histograms(name, dataset):
    dataset(name)
    data = load_dataset(name, numeric="histogram")
    assert not any(isinstance(feature, Numeric) for feature in data.schema.features)
    assert data.train.codes.min() >= 0


def test_it_says_where_it_comes_from(name):
    source = DATASETS[name]
    assert source.title
    assert source.origin.startswith("https://")
    assert source.licence
    assert len(bytes.fromhex(source.digest)) == 32
