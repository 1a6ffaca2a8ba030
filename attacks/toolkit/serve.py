"""The far end of `attacks.toolkit.foreign`: runs in another interpreter, with its standard library alone.

Reads requests as JSON lines from standard input and answers on what was standard output. Code that is run
here may print what it likes: it is not heard. Kept to the syntax of Python 3.8.
"""

from __future__ import annotations

import array
import base64
import importlib.util
import json
import os
import sys
import time
from typing import Any


def plain(value: object) -> object:
    """What JSON cannot say: arrays, as their bytes or as lists."""
    if isinstance(value, array.array):
        return {"doubles": base64.b64encode(value.tobytes()).decode()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def limit(megabytes: int) -> None:
    """Give this process no more memory than that, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def load(path: str) -> object:
    """The module at a path."""
    # another name than the file has: phe.py must not stand in the way of the library phe that it imports
    name = "loaded_" + os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122 - stays small
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path + " is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def answer(request: dict[str, Any], subject: object) -> tuple[object, object]:
    """The subject after a request, and the answer."""
    if "load" in request:
        module = load(request["load"])
        made = getattr(module, request["make"])(**request["arguments"]) if request["make"] else module
        return made, None
    return subject, getattr(subject, request["call"])(**request["arguments"])


def main() -> None:
    """Answer until standard input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    # this file's own folder must not lend its modules to the code that is run
    sys.path[0] = os.getcwd()  # noqa: PTH109
    limit(int(sys.argv[1]))
    subject: object = None
    for line in requests:
        try:
            subject, given = answer(json.loads(line), subject)
            reply = {"given": given}
        except MemoryError:
            reply = {"raised": "MemoryError", "said": "out of memory"}
        except BaseException as error:
            reply = {"raised": type(error).__name__, "said": " ".join(str(error).split())[:300]}
        reply["cpu"] = time.process_time()
        out.write(json.dumps(reply, default=plain) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
