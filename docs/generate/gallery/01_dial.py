"""Group size against accuracy: larger groups share one dose of noise, smaller ones withstand more liars."""

import altair as alt

import attacks

frame = attacks.evaluate(
    "phishing", epsilon=["1", "3"], nodes=30, group_size=[1, 5, 10, 30], rules=["sum"], attacks=["zero"],
    malicious=[0], trials=10, seed=7,
)  # fmt: skip
chart = alt.Chart(frame).mark_boxplot().encode(
    alt.X("group_size:O", title="nodes in a group"),
    alt.Y("balanced_accuracy:Q", title="balanced accuracy", scale=alt.Scale(zero=False)),
    alt.Color("epsilon:N"), xOffset="epsilon:N",
)  # fmt: skip
