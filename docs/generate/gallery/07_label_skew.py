"""Clients that hold mostly one class each: the sum does not mind, rules over rows do."""

import altair as alt

import attacks

frame = attacks.evaluate(
    "phishing", epsilon="none", nodes=20, attacks=["label_flip"], rules=["sum", "median", "krum"],
    label_skew=["none", 1, 0.1], malicious=[0], trials=5, seed=7,
)  # fmt: skip
chart = alt.Chart(frame.assign(label_skew=frame["label_skew"].astype(str))).mark_boxplot().encode(
    alt.X("label_skew:N", title="label skew (Dirichlet; nan: none)", sort=["nan", "1.0", "0.1"]),
    alt.Y("balanced_accuracy:Q", title="balanced accuracy", scale=alt.Scale(zero=False)),
    alt.Color("rule:N"), xOffset="rule:N",
)  # fmt: skip
