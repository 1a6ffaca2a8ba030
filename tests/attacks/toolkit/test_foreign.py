"""The door to another interpreter: what comes back is an answer or one of three errors, in time."""

import sys

import numpy as np
import pytest

from attacks.toolkit.foreign import DiedError, Foreign, ForeignError, RaisedError, TimeoutExpired

PEER = """
import os, sys, time
print("hello from the import")

def double(x): return [2 * each for each in x]
def loud():
    print("x" * 100_000); os.system("echo y"); sys.stderr.write("z"); return 1
def raises(): raise KeyError("gone\\nagain")
def leaves(): sys.exit(3)
def ends(): os._exit(7)
def hangs():
    while True: pass
def eats():
    return len(bytearray(2 << 30))
def odd(): return {"inf": float("inf"), "nan": float("nan"), "big": 2 ** 80}
def doubles():
    import array
    return array.array("d", [0.1, float("nan"), 1e300])
def here(): return sys.path[0], "attacks" in sys.modules, "forging" in sys.modules
class Thing:
    def __init__(self, start): self.value = start
    def add(self, by):
        self.value += by
        return self.value
"""


@pytest.fixture
def peer(tmp_path):
    path = tmp_path / "peer.py"
    path.write_text(PEER)
    return path


def test_answers_come_back_whatever_is_printed(peer):
    with Foreign(sys.executable, peer, seconds=20) as far:
        assert far.call("double", x=list(range(50_000)))[-1] == 99_998
        assert far.call("loud") == 1
        assert far.call("odd") == {"inf": np.inf, "nan": pytest.approx(np.nan, nan_ok=True), "big": 2**80}
        found = far.call("doubles")
        assert found[0] == 0.1
        assert np.isnan(found[1])


def test_an_object_keeps_its_state(peer):
    with Foreign(sys.executable, peer, "Thing", {"start": 5}, seconds=20) as far:
        assert far.call("add", by=2) == 7
        assert far.call("add", by=2) == 9


def test_it_raises_and_goes_on(peer):
    with Foreign(sys.executable, peer, seconds=20) as far:
        with pytest.raises(RaisedError, match=r"^KeyError: 'gone\\nagain'$"):
            far.call("raises")
        with pytest.raises(RaisedError, match="SystemExit: 3"):
            far.call("leaves")
        with pytest.raises(RaisedError, match="AttributeError"):
            far.call("nothing")
        assert far.call("double", x=[1]) == [2]


def test_it_dies(peer):
    with Foreign(sys.executable, peer, seconds=20) as far:
        with pytest.raises(DiedError, match="exit code 7"):
            far.call("ends")
        with pytest.raises(ForeignError):
            far.call("double", x=[1])


def test_it_hangs_and_is_ended(peer):
    far = Foreign(sys.executable, peer, seconds=20)
    far.seconds = 0.5
    with pytest.raises(TimeoutExpired, match="no answer within 0.5 seconds"):
        far.call("hangs")


def test_it_has_no_more_memory_than_it_was_given(peer):
    with (
        Foreign(sys.executable, peer, seconds=20, megabytes=1024) as far,
        pytest.raises(RaisedError, match="MemoryError"),
    ):
        far.call("eats")


def test_modules_are_those_of_the_current_folder_and_none_of_ours(peer, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with Foreign(sys.executable, peer, seconds=20) as far:
        assert far.call("here") == [str(tmp_path), False, False]


def test_what_cannot_be_made_is_an_error(peer, tmp_path):
    with pytest.raises(ForeignError, match="cannot run the interpreter nowhere: No such file"):
        Foreign("nowhere", peer)
    with pytest.raises(RaisedError, match="FileNotFoundError"):
        Foreign(sys.executable, tmp_path / "none.py", seconds=20)
    with pytest.raises(RaisedError, match="AttributeError"):
        Foreign(sys.executable, peer, "Nothing", seconds=20)
