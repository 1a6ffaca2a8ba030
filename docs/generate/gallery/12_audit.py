"""An audit finds what noise costs, not what it claims: the lower bound over the true epsilon."""

import altair as alt
import numpy as np
import pandas as pd

import attacks

points = []
for scale in (2.0, 1.0, 0.7, 0.5):

    def noisy_sum(data, rng, scale=scale):
        return round(float(np.clip(data, 0, 1).sum()) + float(rng.laplace(0, scale)), 6)

    found = attacks.audit(noisy_sum, epsilon=1, runs=20_000, levels=["L3"], seed=7)
    points.append({"true epsilon": 1 / scale, "lower bound": found.bound, "verdict": str(found.verdict)})
chart = alt.Chart(pd.DataFrame(points)).mark_point(filled=True, size=80).encode(
    alt.X("true epsilon:Q"), alt.Y("lower bound:Q"), alt.Color("verdict:N")
)  # fmt: skip
