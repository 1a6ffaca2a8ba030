"""Table 2: the data sets."""

from collections.abc import Mapping

import pandas as pd

from securenb.bayes.parameters import Floats
from securenb.experiments.montecarlo import Batch
from securenb.paper.records import load_paper_data
from securenb.paper.reference import TABLE2
from securenb.paper.study import Finding, Item, Settings
from securenb.schema.features import Numeric


class Table2(Item):
    """Counted, beside the paper's."""

    name = "table2"

    def batches(self, settings: Settings) -> list[Batch]:
        """Nothing is random here."""
        return []

    def finding(self, settings: Settings, results: Mapping[str, Floats]) -> Finding:
        """See `Item.finding`."""
        lines = []
        for name, paper in TABLE2.items():
            data = load_paper_data(name, "corrected")
            numeric = sum(isinstance(feature, Numeric) for feature in data.schema.features)
            records = len(data.train) + len(data.test)
            counted = (records, numeric, len(data.schema.features) - numeric, len(data.schema.classes))
            lines.append(
                {
                    "dataset": name,
                    "records": counted[0],
                    "numeric": counted[1],
                    "categorical": counted[2],
                    "classes": counted[3],
                    "train": len(data.train),
                    "test": len(data.test),
                    "paper": "{:,} records, {} + {} features, {} classes, split {}".format(*paper),
                    "same": counted == paper[:4],
                }
            )
        table = pd.DataFrame(lines)
        same = "All counts are the paper's." if table["same"].all() else "SOME COUNTS DIFFER."
        return Finding("Table 2: the data sets", {"table2": table}, shown=table, text=[same])
