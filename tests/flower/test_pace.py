"""What is changed of Flower's pace is there in the Flower that is installed, and does what it should."""

import subprocess
import sys

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

# in a process of its own: Flower stays changed
HALF_A_REPLY = """
from flwr.supercore.inflatable import inflatable_utils
from securenb.deploy import pace
from securenb.deploy.launch import SUPERLINK

pace.REPLY_SECONDS = 0.3
pace.hasten(SUPERLINK)

def not_there_yet(object_id):
    raise inflatable_utils.ObjectUnavailableError(object_id)

try:
    inflatable_utils.pull_objects(["half"], not_there_yet)
except inflatable_utils.ObjectPullError as error:
    print(error)
"""


def test_half_a_reply_is_not_waited_for_beyond_the_stage():
    done = subprocess.run(
        [sys.executable, "-c", HALF_A_REPLY], capture_output=True, text=True, timeout=60, check=True
    )
    assert "half" in done.stdout


@pytest.mark.parametrize("command", ["flower-superlink", "flower-supernode"])
def test_this_flower_has_everything_that_is_changed(command):
    code = f"from securenb.deploy.pace import hasten; hasten({command!r})"
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)
