"""How many test records no attack can turn, by the number of malicious clients of at most 50 records."""

import altair as alt
import pandas as pd

import securenb as nb
from securenb.certify.certificate import certify

scenario = nb.Scenario.checked(dataset="phishing", nodes=20, protocol="masking", epsilon="none", seed=7)
data, counts = scenario.load(), list(range(11))
round_ = scenario.federation(data).run(scenario.deal(data))
found = certify(round_.model, data.test.codes, malicious=10, cap=50)
frame = pd.DataFrame({"malicious": counts, "certified": found.accuracy(data.test.labels, 50, counts)})
chart = alt.Chart(frame).mark_line(interpolate="step-after").encode(
    alt.X("malicious:Q", title="malicious nodes"), alt.Y("certified:Q", title="certified accuracy")
)  # fmt: skip
