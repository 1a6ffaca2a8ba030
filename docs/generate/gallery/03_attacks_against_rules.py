"""Which attack hurts which rule: a map."""

import altair as alt

import attacks

frame = attacks.evaluate(
    "phishing", epsilon="none", nodes=20, rules=["sum", "median", "krum", "trimmed_mean"], malicious=[0.3],
    attacks=["label_flip", "scaled_flip", "sign_flip", "alie", "min_max", "prior_shift"], trials=3, seed=7,
)  # fmt: skip
chart = alt.Chart(frame).mark_rect().encode(
    alt.X("attack:N", title="poison"),
    alt.Y("rule:N"),
    alt.Color("mean(balanced_accuracy):Q", title="balanced accuracy", scale=alt.Scale(domain=[0, 1])),
)  # fmt: skip
