"""The contracts of rules, mechanisms and data sets, as checks that run on any.

They try cases. A rule that keeps its contract may still be a bad rule, and keeping the contract of a
mechanism is no proof of privacy: `attacks.audit` looks for a violation.
"""

from securenb.checks.dataset import check_dataset
from securenb.checks.mechanism import check_mechanism
from securenb.checks.rule import check_rule

__all__ = ["check_dataset", "check_mechanism", "check_rule"]
