"""For other people's tests: an assertion that a release is as private as it claims.

from attacks.testing import assert_private

def test_my_release_is_private():
    assert_private(my_release, epsilon=1)
"""

from collections.abc import Callable, Sequence
from typing import Any

from attacks.audit.black_box.run import audit


def assert_private(
    release: Callable[..., Any],
    epsilon: float,
    delta: float = 0.0,
    *,
    neighbours: Sequence[Sequence[Any]] | None = None,
    seconds: float = 20.0,
    **choices: Any,
) -> None:
    """Fail unless an audit finds no violation.

    Parameters
    ----------
    release, epsilon, delta, neighbours
        See `attacks.audit.black_box.run.audit`.
    seconds
        What the audit may take.
    choices
        Of the same function: `adjacency`, `gaussian`, `low_bits`, `confidence`, `runs`, `seed` and others.

    Raises
    ------
    AssertionError
        With the witness, if the release is not as private as claimed, or if so few runs cannot tell.
    """
    found = audit(release, epsilon, delta, neighbours=neighbours, seconds=seconds, **choices)
    if found.verdict != "PASS":
        raise AssertionError(found.conclusion())
