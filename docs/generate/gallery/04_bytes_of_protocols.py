"""What each protocol costs a client, for the same sum."""

import altair as alt

import securenb as nb

scenario = nb.Scenario.checked(dataset="phishing", nodes=10, epsilon="3", protocol="plain", seed=7)
names = ["plain", "masking", "ring", "mixer", "secagg", "secagg_plus", "oneshot"]
frame = nb.compare(scenario, scenario.load(), names).frame
chart = alt.Chart(frame).mark_bar().encode(
    alt.X("sent:Q", title="bytes that a node sends", scale=alt.Scale(type="symlog")),
    alt.Y("protocol:N", sort="x"),
)  # fmt: skip
