"""`attacks.audit(…)`: the audit of a function, of a scenario's round, or of any target."""

from collections.abc import Sequence
from typing import Any

from attacks.audit.federation_target import FederationTarget
from attacks.audit.finding import LEVELS, Audit, Level
from attacks.audit.run import run_audit
from attacks.audit.target import Target, View
from securenb.experiments.choices import NO_EPSILON
from securenb.experiments.scenario import Scenario
from securenb.privacy.mechanism import exact
from securenb.privacy.sensitivity import Adjacency


def audit(subject: Any, *arguments: Any, **choices: Any) -> Audit:
    """Check what is said of a release's privacy.

    Parameters
    ----------
    subject
        A scenario or a target, see `audit_round`; or a function, see `attacks.audit.black_box.run.audit`.

    Raises
    ------
    ValueError
        If the choices do not fit.
    """
    if isinstance(subject, Scenario | Target):
        return audit_round(subject, *arguments, **choices)
    from attacks.audit.black_box.run import audit as audit_function

    return audit_function(subject, *arguments, **choices)


def audit_round(
    subject: Scenario | Target,
    *,
    adjacency: Adjacency = "add-remove",
    view: View | None = None,
    levels: Sequence[Level] = tuple(LEVELS),
    seed: int = 0,
    confidence: float = 0.95,
    trials: int | None = None,
) -> Audit:
    """Check what a ledger says of a release.

    Parameters
    ----------
    subject
        The round of a scenario; or any `attacks.audit.target.Target`.
    view
        Whose view of the scenario's round, see `attacks.audit.target`, by default the costliest; a target has
        its own.
    adjacency, levels, seed, confidence, trials
        See `attacks.audit.run.run_audit`.

    Raises
    ------
    ValueError
        If the choices do not fit.
    """
    if isinstance(subject, Scenario):
        data = subject.load()
        federation = subject.federation_over(data.schema, subject.reference(data))
        asked = None if subject.epsilon == NO_EPSILON else exact(subject.epsilon)
        costliest: View = "node" if federation.vectors_are_read else "group"
        subject = FederationTarget(federation, subject.deal(data), view or costliest, asked)
    return run_audit(subject, adjacency, levels, seed=seed, confidence=confidence, trials=trials)
