"""A whole federated round as an estimator: cross-validated over epsilon."""

import altair as alt
import pandas as pd
from sklearn.model_selection import cross_val_score

import securenb as nb

data = nb.load_dataset("phishing")
X, y = data.frame("train")
points = [
    {"epsilon": epsilon, "accuracy": score}
    for epsilon in ("0.3", "1", "3", "10")
    for score in cross_val_score(nb.FederatedNB(data.schema, epsilon=epsilon, random_state=7), X, y, cv=5)
]
chart = alt.Chart(pd.DataFrame(points)).mark_point(filled=True).encode(
    alt.X("epsilon:O", sort=None),
    alt.Y("accuracy:Q", title="accuracy of a fold", scale=alt.Scale(zero=False))
)  # fmt: skip
