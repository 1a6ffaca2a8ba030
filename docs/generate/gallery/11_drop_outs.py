"""Clients fall silent: which protocols still open a sum, and of how many."""

import altair as alt
import pandas as pd

import securenb as nb

scenario = nb.Scenario.checked(dataset="phishing", nodes=12, epsilon="3", protocol="plain", seed=7)
data, points = scenario.load(), []
for share in (0.0, 0.1, 0.25):
    compared = nb.compare(scenario, data, ["plain", "masking", "mixer", "secagg"], drop=share)
    for line in compared.lines:
        opened = compared.rounds[line.protocol].opened if line.protocol in compared.rounds else None
        summed = 0 if opened is None else sum(map(len, opened.members))
        points.append({"silent": share, "protocol": line.protocol, "summed": summed})
chart = alt.Chart(pd.DataFrame(points)).mark_bar().encode(
    alt.X("silent:O", title="share that falls silent"), alt.Y("summed:Q", title="nodes in the opened sum"),
    alt.Color("protocol:N"), xOffset="protocol:N",
)  # fmt: skip
