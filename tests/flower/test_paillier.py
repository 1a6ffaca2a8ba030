"""Paillier on real processes, whose key takes seconds: a round, and one after each death."""

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")


@pytest.fixture(scope="module")
def deployment(deploy):
    deployment = deploy(sites=5, protocols="plain,paillier")
    for name in deployment.parties:
        deployment.edit(name, smallest_threshold=3)
    deployment.run("up", deployment.folder)
    deployment.join()
    return deployment


def test_a_round_opens_the_same_integers_as_in_one_process(deployment):
    deployment.check_round(protocol="paillier", epsilon="1", seed=1)


def test_the_exact_sum_of_the_others_is_opened_though_a_site_dies_in_every_stage(deployment, until):
    victims = {"site-2": 0, "site-3": 1}
    deployment.check_survivors(victims, until, protocol="paillier", epsilon="1", seed=2, threshold=3)


def test_without_the_key_holder_the_round_ends(deployment, until):
    deployment.check_end("key-holder", 0, until, protocol="paillier", epsilon="1", seed=3)


def test_the_next_round_has_everybody(deployment):
    deployment.check_round(protocol="plain", epsilon="1", seed=4)
