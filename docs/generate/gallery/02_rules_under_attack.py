"""Four rules while more and more clients count every record a hundred times, wrongly."""

import altair as alt

import attacks

frame = attacks.evaluate(
    "phishing", epsilon="none", nodes=20, attacks=["scaled_flip"], rules=["sum", "median", "krum", "mda"],
    malicious=[0, 0.1, 0.2, 0.3, 0.4], trials=3, seed=7,
)  # fmt: skip
chart = alt.Chart(frame).mark_line(point=True).encode(
    alt.X("share:Q", title="share of malicious nodes"),
    alt.Y("mean(balanced_accuracy):Q", title="balanced accuracy"),
    alt.Color("rule:N"),
)  # fmt: skip
