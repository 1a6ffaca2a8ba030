import numpy as np
import pytest

from protocols.opened import Opened
from securenb.compare import _relative_error


def test_an_inexact_sum_is_told_by_its_relative_error():
    opened = Opened(np.array([[3, 4], [1, 0]]), (("a", "b"), ("c",)))
    vectors = {"a": np.array([1, 2]), "b": np.array([2, 2]), "c": np.array([1, 0])}
    assert _relative_error(opened, vectors) == 0
    vectors["a"] = np.array([1, 1])
    assert _relative_error(opened, vectors) == pytest.approx(1 / np.hypot(3, 3))
