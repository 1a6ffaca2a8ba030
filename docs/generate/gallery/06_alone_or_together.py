"""More clients: alone each adds a whole dose of noise, together they share one."""

import altair as alt
import pandas as pd

import attacks

frames = [
    attacks.evaluate(
        "phishing", epsilon="1", nodes=nodes, group_size=size, rules=["sum"], attacks=["zero"], malicious=[0],
        trials=10, seed=7,
    ).assign(noise=name)
    for nodes in (5, 20, 80) for name, size in (("each alone", 1), ("all together", nodes))
]  # fmt: skip
frame = pd.concat(frames)
chart = alt.Chart(frame).mark_boxplot().encode(
    alt.X("nodes:O"), alt.Color("noise:N", title="a dose"), xOffset="noise:N",
    y=alt.Y("balanced_accuracy:Q", title="balanced accuracy", scale=alt.Scale(zero=False)),
)  # fmt: skip
