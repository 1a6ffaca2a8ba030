"""PipelineDP: its engine on the local backend, one public partition, one record a person."""

from importlib.metadata import version

import pipeline_dp as p

M = p.Metrics
METRICS = {
    "count": [M.COUNT],
    "sum": [M.SUM],
    "mean": [M.MEAN],
    "variance": [M.VARIANCE],
    "all": [M.COUNT, M.SUM, M.MEAN, M.VARIANCE],
}
EXTRACT = p.DataExtractors(
    privacy_id_extractor=lambda row: row[0],
    partition_extractor=lambda row: row[1],
    value_extractor=lambda row: row[2],
)


def about():
    return {"name": "pipeline-dp", "version": version("pipeline-dp"), "level": "framework"}


def releases():
    return [{"name": name, "adjacency": "add-remove", "size_public": "no"} for name in METRICS]


def once(name, data, epsilon):
    low, high = data["bounds"]
    accountant = p.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-12)
    params = p.AggregateParams(
        noise_kind=p.NoiseKind.LAPLACE,
        metrics=METRICS[name],
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=low,
        max_value=high,
    )
    rows = [(at, 0, float(value)) for at, value in enumerate(data["x"])]
    engine = p.DPEngine(accountant, p.LocalBackend())
    result = engine.aggregate(rows, params, EXTRACT, public_partitions=[0])
    accountant.compute_budgets()
    return [float(value) for value in next(iter(result))[1]]


def release(name, data, epsilon, runs):
    out = []
    for _ in range(runs):
        try:
            out.append(once(name, data, epsilon))
        except Exception:
            out.append(None)
    return out
