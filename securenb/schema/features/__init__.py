"""Kinds of features, one a file."""

from securenb.schema.features.binned import Binned
from securenb.schema.features.categorical import Categorical
from securenb.schema.features.numeric import Numeric

__all__ = ["Binned", "Categorical", "Numeric"]
