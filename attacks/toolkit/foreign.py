"""The door to code in another interpreter: requests and answers as JSON lines over a pipe.

Libraries pin other versions than ours, print, hang and die. What runs behind the door can do all that: it
has an interpreter, a standard output, a time and a memory of its own, and every end is one of three errors.
"""

import base64
import json
import os
import selectors
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Self

import numpy as np

SERVER = Path(__file__).with_name("serve.py")

SECONDS = 60.0
"""How long one answer may take, by default."""

MEGABYTES = 4096
"""How much memory the other interpreter may use, by default."""


class ForeignError(ValueError):
    """The code behind the door gave no answer."""


class RaisedError(ForeignError):
    """It raised."""


class DiedError(ForeignError):
    """Its interpreter ended."""


class TimeoutExpired(ForeignError):
    """It took too long, and was ended."""


class Foreign:
    """An object in another interpreter.

    Parameters
    ----------
    python
        The interpreter; any from Python 3.8 on, which needs nothing of ours.
    path
        A Python file that is loaded there.
    make
        What of the file is called to make the object; by default the object is the module.
    arguments
        What it is called with; JSON values.
    seconds
        How long each answer may take; may be set anew.
    megabytes
        How much memory there is.

    Attributes
    ----------
    cpu
        Seconds of processor time that the interpreter had taken when it last answered.

    Raises
    ------
    ForeignError
        If there is no such interpreter, or it cannot make the object.
    """

    def __init__(
        self,
        python: str | Path,
        path: Path,
        make: str | None = None,
        arguments: dict[str, Any] | None = None,
        *,
        seconds: float = SECONDS,
        megabytes: int = MEGABYTES,
    ) -> None:
        self.seconds = seconds
        self.cpu = 0.0
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own interpreter
                [str(python), str(SERVER), str(megabytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ForeignError(f"cannot run the interpreter {python}: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        try:
            self._ask({"load": str(path.absolute()), "make": make, "arguments": arguments or {}})
        except ForeignError:
            self.close()
            raise

    def call(self, name: str, /, **arguments: Any) -> Any:
        """What a method of the object, or a function of the module, answers; arrays come as arrays.

        Raises
        ------
        RaisedError, DiedError, TimeoutExpired
            If there is no answer.
        """
        return self._ask({"call": name, "arguments": arguments})

    def close(self) -> None:
        """End the other interpreter and whatever it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, request: dict[str, Any]) -> Any:
        reply = json.loads(self._exchange((json.dumps(request) + "\n").encode()), object_hook=_arrays)
        self.cpu = float(reply["cpu"])
        if "raised" in reply:
            raise RaisedError(f"{reply['raised']}: {reply['said']}")
        return reply["given"]

    def _exchange(self, line: bytes) -> bytes:
        """Send a line and read one; neither may wait longer than the limit."""
        if self._process.stdout is None or self._process.stdout.closed:
            raise DiedError("the interpreter has ended")
        deadline, received = time.monotonic() + self.seconds, bytearray()
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._from, selectors.EVENT_READ)
            waiting.register(self._to, selectors.EVENT_WRITE)
            while True:
                ready = waiting.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    self.close()
                    raise TimeoutExpired(f"no answer within {self.seconds:g} seconds")
                for key, _ in ready:
                    if key.fd == self._to:
                        try:
                            line = line[os.write(self._to, line) :]
                        except BrokenPipeError:
                            raise self._died() from None
                        if not line:
                            waiting.unregister(self._to)
                        continue
                    chunk = os.read(self._from, 1 << 20)
                    if not chunk:
                        raise self._died()
                    received += chunk
                    if received.endswith(b"\n"):
                        return bytes(received)

    def _died(self) -> DiedError:
        code = self._process.wait()
        self.close()
        ended = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return DiedError(f"the interpreter ended {ended}")


def _arrays(value: dict[str, Any]) -> Any:
    if set(value) == {"doubles"}:
        return np.frombuffer(base64.b64decode(value["doubles"]), dtype=np.float64)
    return value
