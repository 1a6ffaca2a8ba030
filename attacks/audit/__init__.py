"""The audit of a release: whether what is said of its privacy is true.

`attacks.audit(function, epsilon)` audits a function, see `attacks.audit.black_box.run.audit`; the modules of
this package audit our own rounds, too.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """A package that may be called like the function that it is named for."""

    def __call__(self, *arguments: Any, **choices: Any) -> Any:
        # what a command that audits nothing need not import
        from attacks.audit.black_box.run import audit

        return audit(*arguments, **choices)


sys.modules[__name__].__class__ = _Callable
