"""Does a record belong to a client? What the server can conclude from vectors, and from one sum."""

import altair as alt
import pandas as pd

import attacks
import securenb as nb

points = []
for protocol in ("plain", "masking"):
    for epsilon in ("none", "10", "1"):
        scenario = nb.Scenario.checked(
            dataset="phishing", nodes=10, protocol=protocol, epsilon=epsilon, seed=7
        )
        data = scenario.load()
        nodes = [nb.Node(node.id, node.records[:20]) for node in scenario.deal(data)]
        found = attacks.INFERENCES["membership"]().measure(
            scenario.federation(data), nodes, trials=15, seed=7
        )
        points.append({"protocol": protocol, "epsilon": epsilon, "right": found.right})
chart = alt.Chart(pd.DataFrame(points)).mark_bar().encode(
    alt.X("epsilon:N", sort=None),
    alt.Y("right:Q", title="right about membership", scale=alt.Scale(domain=[0, 1])),
    alt.Color("protocol:N"), xOffset="protocol:N",
)  # fmt: skip
