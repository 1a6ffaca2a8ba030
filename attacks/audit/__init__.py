"""The audit of a release: whether what is said of its privacy is true.

`attacks.audit(function, epsilon)` audits a function, `attacks.audit(scenario)` one of our own rounds, see
`attacks.audit.front`.
"""

from protocols.front import answering

answering(__name__, "attacks.audit.front:audit")
