"""Plain sums, holders and helpers on real processes: a round of each protocol, and one in which parties die.

The killed join again; the next round, of the next test, waits for them.
"""

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

PROTOCOLS = ("plain", "oneshot", "verified")


@pytest.fixture(scope="module")
def deployment(deploy):
    deployment = deploy(sites=5, protocols=",".join(PROTOCOLS))
    for name in deployment.parties:
        deployment.edit(name, smallest_threshold=3)
    deployment.run("up", deployment.folder)
    deployment.join()
    return deployment


@pytest.mark.parametrize(("seed", "protocol"), [*enumerate(PROTOCOLS)])
def test_a_round_opens_the_same_integers_as_in_one_process(deployment, seed, protocol):
    deployment.check_round(protocol=protocol, epsilon="1", seed=seed)


# numbers are those of the parties' own steps: with its last one a party has said all it has to say
@pytest.mark.parametrize(
    ("protocol", "victims"),
    [
        ("plain", {"site-2": 0}),
        ("oneshot", {"site-2": 0, "site-3": 1, "holder-2": 2}),
        ("verified", {"site-2": 0, "site-3": 1}),
    ],
)
def test_the_exact_sum_of_the_others_is_opened_though_somebody_dies_in_every_stage(
    deployment, until, protocol, victims
):
    seed = 10 + PROTOCOLS.index(protocol)
    deployment.check_survivors(victims, until, protocol=protocol, epsilon="1", seed=seed, threshold=3)


def test_without_the_helper_the_round_ends(deployment, until):
    deployment.check_end("helper-1", 1, until, protocol="verified", epsilon="1", seed=20)


def test_the_next_round_has_everybody(deployment):
    deployment.check_round(protocol="plain", epsilon="1", seed=30)
