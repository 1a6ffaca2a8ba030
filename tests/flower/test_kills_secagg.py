"""A site killed with -9 in every stage of `secagg`: real processes, on loopback.

It joins again; the next round, of the next stage, waits for it.
"""

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")


@pytest.fixture(scope="module")
def deployment(deploy):
    deployment = deploy(sites=5, protocols="secagg")
    deployment.run("up", deployment.folder)
    deployment.join()
    return deployment


# a reply may have left just before its sender died; the number is that of the party's own step
@pytest.mark.parametrize("step", range(5))
def test_secagg_opens_the_exact_sum_of_the_others_at_whatever_stage_a_site_dies(deployment, until, step):
    victim = "site-2"
    choices = {"protocol": "secagg", "epsilon": "1", "seed": step}
    round_, code, output = deployment.round_with_kills({victim: step}, until, **choices)
    assert code == 0, output
    stages = deployment.events(round_, "stage")
    names = ("start", "NeighbourKeys", "DeliveredShares", "Survivors", "Confirmations")
    # after silence a stage is also told that there was a deadline
    assert tuple(stage["name"].partition(",")[0] for stage in stages) == names
    assert {stage["answered"] for stage in stages[:step]} <= {5}
    if step + 1 < len(names):
        assert 4 in {stage["answered"] for stage in stages[step : step + 2]}
        (left,) = deployment.events(round_, "left")
        assert left["party"] == victim
        assert left["why"] in deployment.GONE
    assert set(deployment.names) - set(deployment.exact_sum(round_, **choices)) <= {victim}
