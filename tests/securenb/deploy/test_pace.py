"""How Flower is made to wait no longer than it has to, without Flower."""

import time
from multiprocessing import get_context

import pytest

from securenb.deploy import pace


@pytest.fixture
def slept(monkeypatch):
    """The sleeps so far, none of which takes any time."""
    slept = []
    monkeypatch.setattr(pace.time, "sleep", slept.append)
    return slept


def test_a_node_asks_seldom_when_there_is_nothing_and_often_after_a_message(slept):
    patience = pace.Patience(lambda: None)
    for _ in range(15):
        patience.sleep(pace.IDLE_SECONDS)
    assert slept[0] == pace.Patience.SHORTEST
    assert slept == sorted(slept)
    assert slept[-1] == pace.IDLE_SECONDS
    patience.sleep(0.5)
    patience.sleep(pace.IDLE_SECONDS)
    assert slept[-1] == pace.Patience.SHORTEST


def test_a_node_says_once_that_a_message_has_come(slept):
    said = []
    patience = pace.Patience(lambda: said.append(len(slept)))
    for seconds in (3, 3, 0.5, 0.5, 0.5, 3, 0.5):
        patience.sleep(seconds)
    assert said == [2, 6]
    assert slept[2:5] == [pace.APP_SECONDS] * 3


def test_an_executor_is_woken_by_another_process_even_if_it_was_not_asleep_yet(monkeypatch):
    monkeypatch.setattr(pace, "IDLE_SECONDS", 60.0)
    arrived = get_context("fork").Event()
    watch = pace.Watch(arrived)
    arrived.set()
    began = time.monotonic()
    watch.sleep(60)
    ringer = get_context("fork").Process(target=arrived.set)
    ringer.start()
    watch.sleep(60)
    assert time.monotonic() - began < pace.IDLE_SECONDS
    ringer.join()
    assert not arrived.is_set()


def test_what_is_changed_must_be_there():
    names = {"time": time}
    pace._replace(names, "time", None)
    assert names == {"time": None}
    with pytest.raises(LookupError, match="this version of Flower has no clock"):
        pace._replace(names, "clock", None)
