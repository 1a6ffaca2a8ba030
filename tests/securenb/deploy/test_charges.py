"""A site pays for what its records may have said: before it says it, once, and for nothing else."""

import shutil
from pathlib import Path

import msgspec
import pytest

from protocols.engines.lasting import Reply
from securenb.deploy.charge import UNSAID
from securenb.deploy.site import DATA, Site

PROTOCOLS = ["plain", "secagg", "oneshot", "verified"]


def records_of(deployment, name):
    return Path((deployment.place(name) / DATA).read_text())


def states(deployment, name="site-1"):
    return [payment.state for payment in Site(deployment.place(name)).ledger.payments()]


def halve(deployment, name):
    """Leave the site half of its records."""
    path = records_of(deployment, name)
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *lines[: len(lines) // 2]]) + "\n")


class Watched:
    """What a site answers in one round, and the state of its charge when the answer leaves."""

    def __init__(self, deployment, monkeypatch):
        self.said = []
        real = Site.answer

        def answer(site, question):
            reply = real(site, question)
            if site.folder.name == "site-1":
                told = msgspec.structs.replace(msgspec.msgpack.decode(reply, type=Reply), cpu=0.0)
                self.said.append((told, states(deployment)[-1:]))
            return reply

        monkeypatch.setattr(Site, "answer", answer)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_that_a_site_says_before_it_has_committed_depends_on_its_records(
    deploy, monkeypatch, protocol
):
    """The same site, keys and round with other records: the first answer that differs is paid for."""
    deployment = deploy([protocol])
    deployment.allow("1000")
    place, copy = deployment.folder, deployment.folder.with_name("copy")
    shutil.copytree(place, copy)
    heard = []
    for half in (False, True):
        if half:
            shutil.rmtree(place)
            copy.rename(place)
            halve(deployment, "site-1")
        with monkeypatch.context() as patch:
            watched = Watched(deployment, patch)
            assert deployment.opened(deployment.round(protocol=protocol))
            heard.append(watched.said)
    full, halved = heard
    differ = [a[0] != b[0] for a, b in zip(full, halved, strict=True)]
    assert any(differ), "or the test shows nothing"
    first = differ.index(True)
    assert all(state == ["committed"] for _, state in [*full[first:], *halved[first:]])
    assert all(state == ["reserved"] for _, state in [*full[:first], *halved[:first]])


def test_a_plan_learns_nothing_of_how_many_records_a_site_holds(deployment):
    """It used to be told, free of charge, as often as it asked with a low cap."""
    held = len(records_of(deployment, "site-1").read_text().splitlines()) - 1
    for cap in (1, held - 1, held, held + 1, 999):
        reply = deployment.ask("site-1", deployment.opening(*deployment.proposal(record_cap=cap)))
        assert "ours may hold 1000, whatever it holds" in reply.stopped
        assert str(held) not in reply.stopped.replace(str(cap), "")
        assert states(deployment) == []
    halve(deployment, "site-1")
    again = deployment.ask("site-1", deployment.opening(*deployment.proposal(record_cap=held - 1)))
    assert again.stopped == reply.stopped.replace("999", str(held - 1))


@pytest.mark.parametrize("trouble", ["missing", "broken", "too many"])
def test_trouble_with_records_is_one_fixed_sentence_that_is_paid_for(deployment, trouble):
    path = records_of(deployment, "site-1")
    if trouble == "missing":
        (deployment.place("site-1") / DATA).unlink()
    elif trouble == "broken":
        path.write_text(path.read_text().replace("\n", "\nSECRET-VALUE", 1))
    else:
        path.write_text(path.read_text() + "\n".join(path.read_text().splitlines()[1:] * 20) + "\n")
    reply = deployment.ask("site-1", deployment.opening(*deployment.proposal()))
    assert reply == Reply(stopped=UNSAID)
    assert states(deployment) == ["committed"]


@pytest.mark.parametrize("file", ["site.toml", "schema.toml", "roster.toml"])
def test_a_broken_file_is_not_described_to_the_coordinator(deployment, file):
    (deployment.place("site-1") / file).write_text("party = [")
    reply = deployment.ask("site-1", deployment.opening(*deployment.proposal()))
    assert reply == Reply(stopped=UNSAID)


def test_rounds_that_end_before_a_vector_leaves_cost_nothing(deployment):
    """Two of them used to spend a site's whole budget with nothing released."""
    for seed in range(4):
        folder = deployment.round(seed=seed, dead=dict.fromkeys(["site-2", "site-3", "site-4", "site-5"], 1))
        assert deployment.opened(folder) is None
    assert set(states(deployment)) <= {"returned", "reserved"}
    for seed in (8, 9):
        assert deployment.opened(deployment.round(seed=seed))
    assert states(deployment) == ["returned"] * 4 + ["committed"] * 2
    assert deployment.opened(deployment.round(seed=10)) is None


def test_a_session_whose_charge_was_returned_is_refused_for_ever(deployment):
    plan, identity = deployment.proposal()
    opening = deployment.opening(plan, identity)
    assert deployment.ask("site-1", opening).frames
    site = Site(deployment.place("site-1"))
    site.forget_others()
    assert states(deployment) == ["returned"]
    assert "has released its part of session" in deployment.ask("site-1", opening).stopped
    assert [path for path in (site.folder / "sessions").rglob("*") if path.is_file()] == []


def test_a_charge_stays_committed_though_the_round_is_aborted_after_the_vector_left(deployment):
    folder = deployment.round(dead={"site-2": 5, "site-3": 5, "site-4": 5})
    assert deployment.opened(folder) is None
    assert states(deployment) == states(deployment, "site-2") == ["committed"]
    Site(deployment.place("site-2")).forget_others()
    assert states(deployment, "site-2") == ["committed"]


def test_what_cannot_be_committed_does_not_leave(deployment, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("securenb.privacy.journal.LedgerFile.commit", full)
    folder = deployment.round()
    assert deployment.opened(folder) is None
    assert states(deployment) == ["reserved"]
    monkeypatch.undo()
    again = deployment.round(seed=8)
    assert deployment.opened(again)
    assert states(deployment) == ["returned", "committed"]


def test_a_charge_that_another_process_returned_lets_nothing_leave(deployment, monkeypatch):
    real = Site._maker

    def returned(site, *rest):
        for payment in site.ledger.payments():
            if payment.state == "reserved":
                site.ledger.give_back(payment.name)
        return real(site, *rest)

    monkeypatch.setattr(Site, "_maker", returned)
    folder = deployment.round(protocol="secagg")
    assert deployment.opened(folder) is None
    assert {line["why"] for line in deployment.said(folder, "left") if line["party"] == "site-1"} == {UNSAID}
