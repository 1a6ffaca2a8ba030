"""Adult (census income): does a person earn more than 50 000 dollars a year? 48 842 people, 14 features.

Source: Barry Becker and Ronny Kohavi (1996), UCI data set 2, drawn from the US Census Bureau's Current
Population Survey (CPS) of 1994; UCI's own training and test file.

Two copies of the test file are in use. The one that the authors of the SECRYPT 2022 paper publish beside
their code has 50 in the place of every 44, inside numbers too (age 44 is 50, a gain of 4 416 is 5 016). Both
load, and the digest of the data set tells which one it was.

Levels are those that UCI's `adult.names` lists, plus `?` where it says that values may be missing.
UCI's test file ends each label with a full stop, and copies differ in the case of the K.

Bounds, edges and grids:

- age 17–90: UCI extracted people older than 16; the CPS of 1994 records higher ages as 90. Edges:
  five-year bins of working age, wider ones outside.
- fnlwgt 0–1 500 000: the number of people a respondent stands for; published summaries of the column
  give 12 285 to 1 490 400. Edges: steps of 100 000 up to 500 000, where a CPS weight is already unusual.
- education-num 1–16: one for each of the 16 levels of education; with 60 steps, four to a level, every value
  is on the grid. Edges: one bin for each level.
- capital-gain 0–99 999: a five-digit field, top-coded. Nearly all have none. 64 steps are coarse here
  (1 562 dollars), but a Gaussian over so long a tail is wide anyhow, and the published accuracy is reached
  (`tests/securenb/test_published_accuracy.py`). Edges: nothing, then round amounts.
- capital-loss 0–4 356: the survey's largest value, as published summaries of the column give it. Edges:
  nothing, then steps of 500 around the amounts that a tax return could deduct.
- hours-per-week 1–99: a two-digit field, and UCI extracted people who work. Edges: part time, full time (40)
  in a bin of its own, overtime.
"""

import numpy as np
import pandas as pd

from securenb.data.uci import TableFile, UciSource
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema

_WORKCLASS = (
    "Private",
    "Self-emp-not-inc",
    "Self-emp-inc",
    "Federal-gov",
    "Local-gov",
    "State-gov",
    "Without-pay",
    "Never-worked",
    "?",
)
_EDUCATION = (
    "Bachelors",
    "Some-college",
    "11th",
    "HS-grad",
    "Prof-school",
    "Assoc-acdm",
    "Assoc-voc",
    "9th",
    "7th-8th",
    "12th",
    "Masters",
    "1st-4th",
    "10th",
    "Doctorate",
    "5th-6th",
    "Preschool",
)
_MARITAL_STATUS = (
    "Married-civ-spouse",
    "Divorced",
    "Never-married",
    "Separated",
    "Widowed",
    "Married-spouse-absent",
    "Married-AF-spouse",
)
_OCCUPATION = (
    "Tech-support",
    "Craft-repair",
    "Other-service",
    "Sales",
    "Exec-managerial",
    "Prof-specialty",
    "Handlers-cleaners",
    "Machine-op-inspct",
    "Adm-clerical",
    "Farming-fishing",
    "Transport-moving",
    "Priv-house-serv",
    "Protective-serv",
    "Armed-Forces",
    "?",
)
_RELATIONSHIP = ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried")
_RACE = ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black")
_COUNTRY = (
    "United-States",
    "Cambodia",
    "England",
    "Puerto-Rico",
    "Canada",
    "Germany",
    "Outlying-US(Guam-USVI-etc)",
    "India",
    "Japan",
    "Greece",
    "South",
    "China",
    "Cuba",
    "Iran",
    "Honduras",
    "Philippines",
    "Italy",
    "Poland",
    "Jamaica",
    "Vietnam",
    "Mexico",
    "Portugal",
    "Ireland",
    "France",
    "Dominican-Republic",
    "Laos",
    "Ecuador",
    "Taiwan",
    "Haiti",
    "Columbia",
    "Hungary",
    "Guatemala",
    "Nicaragua",
    "Scotland",
    "Thailand",
    "Yugoslavia",
    "El-Salvador",
    "Trinadad&Tobago",
    "Peru",
    "Hong",
    "Holand-Netherlands",
    "?",
)


class Adult(UciSource):
    """UCI Adult, with UCI's split."""

    title = "Adult"
    origin = "https://archive.ics.uci.edu/dataset/2/adult"
    folder = "Adult"
    files = (TableFile(("adult.train", "adult.data")), TableFile(("adult.test",)))
    columns = (
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
        "income",
    )
    schema = Schema(
        classes=("<=50K", ">50K"),
        features=(
            Numeric("age", 17, 90, edges=(17, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 75, 90)),
            Categorical("workclass", _WORKCLASS, missing="?"),
            Numeric("fnlwgt", 0, 1_500_000, edges=(0, 1e5, 2e5, 3e5, 4e5, 5e5, 1.5e6)),
            Categorical("education", _EDUCATION),
            Numeric("education-num", 1, 16, steps=60, edges=tuple(range(1, 18))),
            Categorical("marital-status", _MARITAL_STATUS),
            Categorical("occupation", _OCCUPATION, missing="?"),
            Categorical("relationship", _RELATIONSHIP),
            Categorical("race", _RACE),
            Categorical("sex", ("Female", "Male")),
            Numeric("capital-gain", 0, 99_999, edges=(0, 1, 2e3, 4e3, 6e3, 8e3, 1e4, 1.5e4, 99_999)),
            Numeric("capital-loss", 0, 4_356, edges=(0, 1, 1_000, 1_500, 2_000, 2_500, 4_356)),
            Numeric("hours-per-week", 1, 99, edges=(1, 20, 30, 40, 41, 50, 60, 99)),
            Categorical("native-country", _COUNTRY, missing="?"),
        ),
        label="income",
    )
    rows = (32_561, 16_281)
    digest = "9a3c1af3dfb12053d043b89c39a17f6690afe73bd972bd1ea01acdf958ed139b"

    def fingerprint(self, tables: list[pd.DataFrame]) -> str:
        """See `DatasetSource.fingerprint`; blind to whether a number of the test table has 44 or 50."""
        train, test = tables
        blurred = test.copy()
        for feature in self.schema.features:
            if feature.bounds is not None:
                digits = test[feature.name].astype(np.int64).astype(str).str.replace("44", "50")
                blurred[feature.name] = digits.astype(np.float64)
        return super().fingerprint([train, blurred])

    def tidy(self, labels: pd.Series) -> pd.Series:
        """See `UciSource.tidy`."""
        return labels.str.rstrip(".").str.upper()
