"""Parties of all other protocols killed with -9, in every stage: real processes, on loopback.

The killed join again; the next round, of the next test, waits for all of them.
"""

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

PROTOCOLS = ("plain", "oneshot", "verified", "paillier")


@pytest.fixture(scope="module")
def deployment(deploy):
    deployment = deploy(sites=5, protocols=",".join(PROTOCOLS))
    for name in deployment.parties:
        deployment.edit(name, smallest_threshold=3)
    deployment.run("up", deployment.folder)
    deployment.join()
    return deployment


@pytest.mark.parametrize(
    ("protocol", "victims"),
    [
        ("plain", {"site-2": 0}),
        ("oneshot", {"site-2": 0, "site-3": 1, "holder-2": 2}),
        ("verified", {"site-2": 0, "site-3": 1}),
        ("paillier", {"site-2": 0, "site-3": 1}),
    ],
)
def test_the_exact_sum_of_the_others_is_opened_though_somebody_dies_at_every_stage(
    deployment, until, protocol, victims
):
    choices = {"protocol": protocol, "epsilon": "1", "seed": PROTOCOLS.index(protocol), "threshold": 3}
    round_, code, output = deployment.round_with_kills(victims, until, **choices)
    assert code == 0, output
    members = deployment.exact_sum(round_, **choices)
    assert set(deployment.names) - set(members) <= set(victims)
    left = {line["party"]: line["why"] for line in deployment.events(round_, "left")}
    assert set(left) <= set(victims)
    assert set(left.values()) <= deployment.GONE


@pytest.mark.parametrize(
    ("protocol", "victim", "step"), [("verified", "helper-1", 1), ("paillier", "key-holder", 0)]
)
def test_without_the_one_that_all_need_the_round_ends_with_its_name_and_opens_nothing(
    deployment, until, protocol, victim, step
):
    choices = {"protocol": protocol, "epsilon": "1", "seed": 10 + PROTOCOLS.index(protocol)}
    round_, code, output = deployment.round_with_kills({victim: step}, until, **choices)
    assert code == 4, output
    (ended,) = deployment.events(round_, "aborted")
    assert victim in ended["why"]
    assert not (round_ / "result").exists()


def test_after_all_that_a_round_opens_the_sum_of_everybody(deployment):
    choices = {"protocol": "plain", "epsilon": "1", "seed": 20}
    round_, done = deployment.round(**choices)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.exact_sum(round_, **choices) == deployment.names
