"""The standard deviation of the noise in one count, by epsilon."""

import altair as alt
import pandas as pd

import securenb as nb

schema = nb.load_dataset("phishing").schema
points = []
for name, delta in {"discrete_laplace": None, "skellam": 1e-5, "k_norm": None}.items():
    for epsilon in ("0.1", "0.3", "1", "3", "10"):
        mechanism = nb.MECHANISMS[name].from_epsilon(epsilon, delta)
        deviation = mechanism.noise(schema, schema.blocks[1], among=1).spread() ** 0.5 / mechanism.grid
        points.append({"mechanism": name, "epsilon": float(epsilon), "deviation": deviation})
chart = alt.Chart(pd.DataFrame(points)).mark_line(point=True).encode(
    alt.X("epsilon:Q", scale=alt.Scale(type="log")),
    alt.Y("deviation:Q", title="standard deviation, records", scale=alt.Scale(type="log")),
    alt.Color("mechanism:N"),
)  # fmt: skip
