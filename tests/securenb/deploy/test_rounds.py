"""Coordinator and sites with their folders, without Flower: a carrier in this process stands in for it."""

import json
import os
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from protocols.engines.journal import Journal
from protocols.engines.lasting import LastingParty, Reply, Step
from protocols.primitives.identity import Identity
from protocols.protocol import PROTOCOLS
from securenb.deploy.charge import UNSAID
from securenb.deploy.coordinator import PROGRESS, RESULT
from securenb.deploy.dry_run import dry_run
from securenb.deploy.folder import init
from securenb.deploy.limits import NEED_LINKS, RELAYED
from securenb.deploy.site import DATA, Question, Site
from securenb.report.page import Report

NAMES = [f"site-{index}" for index in range(1, 6)]
CHOICES = {"protocol": "secagg", "epsilon": "1", "seed": 7}


@pytest.mark.parametrize(
    ("protocol", "rule"),
    [
        *((name, "sum") for name in ("plain", "secagg", "oneshot", "verified")),
        ("verified", "staircase(quota=60)"),
    ],
)
def test_a_deployed_round_opens_the_same_integers_as_one_in_one_process(deployment, protocol, rule):
    deployment.allow("1000")
    folder = deployment.round(protocol=protocol, rule=rule)
    _, round_ = deployment.in_one_process(protocol=protocol, rule=rule)
    assert deployment.opened(folder) == [{"members": NAMES, "sums": round_.opened.rows[0].tolist()}]
    digests = json.loads((folder / RESULT / "manifest.json").read_text())["digests"]
    assert digests == round_.digests()


def test_without_a_seed_every_site_draws_its_own_noise_and_keys(deployment):
    rows = [deployment.opened(deployment.round(protocol="secagg", seed=None))[0] for _ in range(2)]
    assert rows[0]["members"] == rows[1]["members"] == NAMES
    assert rows[0]["sums"] != rows[1]["sums"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "stage"),
    [*(("secagg", stage) for stage in range(6)), *(("oneshot", stage) for stage in range(3))],
)
def test_a_site_that_dies_leaves_the_exact_sum_of_the_others_and_the_next_round_works(
    deployment, protocol, stage
):
    folder = deployment.round(protocol=protocol, dead={"site-2": stage})
    federation, _ = deployment.in_one_process(protocol=protocol)
    if (opened := deployment.opened(folder)) is None:
        assert deployment.said(folder, "aborted")
    else:
        vectors = {node.id: federation.contribution(node, 5) for node in deployment.nodes}
        assert set(NAMES) - set(opened[0]["members"]) <= {"site-2"}
        assert opened[0]["sums"] == sum(vectors[name] for name in opened[0]["members"]).tolist()
    again = deployment.round(protocol=protocol, seed=8)
    assert deployment.opened(again)[0]["members"] == NAMES


def test_a_session_is_released_once_whatever_was_restarted(deployment):
    deployment.round()
    again = deployment.round()
    assert deployment.opened(again) is None
    assert "has released its part of session" in deployment.said(again, "left")[0]["why"]
    assert len(Site(deployment.place("site-1")).ledger.payments()) == 1


def test_the_budget_of_a_site_holds_across_rounds(deployment):
    for seed in (1, 2):
        assert deployment.opened(deployment.round(seed=seed))
    third = deployment.round(seed=3)
    assert deployment.opened(third) is None
    whys = [line["why"] for line in deployment.said(third, "left") if line["party"] in NAMES]
    assert whys == [UNSAID] * 5
    told = (deployment.place("site-1") / "log.jsonl").read_text()
    assert "privacy budget exceeded: epsilon 1 requested, 2 of 2.5 spent, 0.5 remaining" in told


REFUSED = [
    ({"protocols": '["oneshot"]'}, {}, "protocol secagg is not among ours (oneshot)"),
    ({"smallest_group": 6}, {}, "a group of 5 nodes; ours has at least 6"),
    ({"smallest_threshold": 5}, {}, "a sum may be opened with 4 nodes; we want at least 5"),
    ({"epsilon_per_round": '"0.5"'}, {}, "a row costs epsilon 1; we allow 0.5 a round"),
    ({"simulations": "false"}, {}, "we allow no simulations"),
    ({}, {"epsilon": "none"}, "adds no noise"),
    ({}, {"colluding": 0}, "colluding is 0 in the plan; we want at least 1 (smallest_colluding)"),
    ({"smallest_colluding": 3}, {}, "colluding is 1 in the plan; we want at least 3 (smallest_colluding)"),
    (
        {"smallest_corrupt": 0.7},
        {},
        "corrupt is 2 of 5 nodes in the plan; we want at least 0.7 (3 nodes) (smallest_corrupt)",
    ),
    (
        {"record_cap": 1001},
        {},
        "counts on at most 1000 records a site; ours may hold 1001, whatever it holds",
    ),
    ({}, {"protocol": "plain"}, "a site's vector, which others read, costs epsilon"),
]


@pytest.mark.parametrize(("limits", "choices", "why"), REFUSED)
def test_a_site_refuses_what_it_has_not_agreed_to_before_anything_leaves_it(deployment, limits, choices, why):
    deployment.edit("site-3", **limits)
    folder = deployment.round(**choices)
    left = {line["party"]: line["why"] for line in deployment.said(folder, "left")}
    assert why in left["site-3"]
    assert not (deployment.place("site-3") / "releases").exists()
    assert Site(deployment.place("site-3")).ledger.payments() == ()
    refused = (deployment.place("site-3") / "log.jsonl").read_text()
    assert why in refused


def test_a_site_with_another_schema_refuses(deployment):
    schema = deployment.place("site-3") / "schema.toml"
    schema.write_text(schema.read_text().replace('label = "', 'label = "other '))
    folder = deployment.round()
    (left,) = deployment.said(folder, "left")
    assert left["party"] == "site-3"
    assert "rule 14, same schema: " in left["why"]
    assert deployment.opened(folder)[0]["members"] == [name for name in NAMES if name != "site-3"]


def test_a_plan_that_the_coordinator_has_not_signed_is_refused(deployment):
    plan, _ = deployment.proposal()
    reply = deployment.ask("site-1", deployment.opening(plan, Identity(bytes(32))))
    assert reply == Reply(stopped="refuses: the plan is not signed by the coordinator in our roster")


def test_another_version_or_derivation_is_refused(deployment):
    for change, why in (
        ({"version": 99}, "the plan is of version 99"),
        ({"session_digest": bytes(32)}, "its software differs from ours"),
        ({"session_id": b"short"}, "the plan names no session"),
    ):
        reply = deployment.ask("site-1", deployment.opening(*deployment.proposal(**change)))
        assert why in reply.stopped
        assert reply.frames == ()


def test_a_question_out_of_the_blue_is_refused(deployment):
    step = msgspec.msgpack.encode(Step(1))
    reply = deployment.ask("site-1", msgspec.msgpack.encode(Question(bytes(16), step)))
    assert "is over, or was never opened here" in reply.stopped
    assert "no question of this release" in deployment.ask("site-1", b"\x00").stopped


def test_two_plans_for_one_session_id_do_not_both_get_an_answer(deployment):
    plan, identity = deployment.proposal()
    first = deployment.ask("site-1", deployment.opening(plan, identity))
    assert first.frames
    assert deployment.ask("site-1", deployment.opening(plan, identity)).frames == first.frames
    other = deployment.opening(*deployment.proposal(colluding=2))
    assert "was opened with another plan" in deployment.ask("site-1", other).stopped


@pytest.mark.parametrize("what", ["ledger", "releases"])
def test_a_full_disk_stops_the_site_in_one_line_and_nothing_is_sent(deployment, what, monkeypatch):
    real = os.fsync if what == "ledger" else os.open

    def full(target, *rest):
        if what == "ledger" or "releases" in str(target):
            raise OSError(28, "No space left on device")
        return real(target, *rest)

    monkeypatch.setattr(os, "fsync" if what == "ledger" else "open", full)
    reply = deployment.ask("site-1", deployment.opening(*deployment.proposal()))
    assert reply == Reply(stopped="stopped: it cannot write to its disk (No space left on device)")
    monkeypatch.undo()
    assert deployment.opened(deployment.round(seed=8))[0]["members"] == NAMES


def test_a_site_that_has_forgotten_which_sessions_it_took_part_in_takes_part_in_none(deployment):
    deployment.round()
    site = deployment.place("site-1")
    shutil.move(site / "releases", site / "elsewhere")
    reply = deployment.ask("site-1", deployment.opening(*deployment.proposal()))
    assert "`releases`, which remembers the sessions that it took part in, is gone" in reply.stopped
    assert reply.frames == ()
    shutil.move(site / "elsewhere", site / "releases")
    assert deployment.opened(deployment.round(seed=8))[0]["members"] == NAMES


@pytest.mark.parametrize("died_at", [1, 2])
def test_a_site_that_dies_while_it_forgets_a_session_takes_part_in_it_no_second_time(
    deployment, monkeypatch, died_at
):
    """Its steps gone and its birth not, it would answer everything again, and confirm another list."""
    real, calls = Journal.forget, []

    def dies(journal):
        calls.append(journal)
        if len(calls) == died_at:
            raise KeyboardInterrupt
        real(journal)

    plan, identity = deployment.proposal(groups=(tuple(NAMES),))
    opening = deployment.opening(plan, identity)
    assert deployment.ask("site-1", opening).frames
    monkeypatch.setattr(LastingParty, "answer", lambda *_: Reply(finished=True))
    monkeypatch.setattr(Journal, "forget", dies)
    question = Question(plan.session_id, msgspec.msgpack.encode(Step(1)))
    with pytest.raises(KeyboardInterrupt):
        deployment.ask("site-1", msgspec.msgpack.encode(question))
    monkeypatch.undo()
    steps = Journal(deployment.place("site-1") / "sessions" / plan.session_id.hex() / "steps").steps()
    assert steps, "it died before it had forgotten them"
    again = deployment.ask("site-1", opening)
    assert again.frames == () or died_at == 1


def test_secrets_of_a_session_are_gone_when_it_is_over(deployment):
    deployment.round(protocol="secagg")
    for name in NAMES:
        assert [path for path in (deployment.place(name) / "sessions").rglob("*") if path.is_file()] == []


def test_logs_and_refusals_hold_no_private_values(deployment):
    broken = Path((deployment.place("site-4") / DATA).read_text())
    broken.write_text(broken.read_text().replace("\n", "\nSECRET-VALUE", 1))
    folder = deployment.round(protocol="secagg")
    federation, _ = deployment.in_one_process(protocol="secagg")
    texts = [(deployment.place(name) / "log.jsonl").read_text() for name in NAMES]
    texts.append((folder / PROGRESS).read_text())
    assert UNSAID in texts[-1]
    assert "the site cannot read its records" in texts[3]
    private = {
        str(value)
        for node in deployment.nodes
        for value in np.concatenate(
            [node.statistics(deployment.schema).vector(), federation.contribution(node, 5)]
        ).tolist()
        if abs(value) >= 10
    }
    assert len(private) > 20
    public = {"session", "bytes", "cpu", "at", "carried", "seconds"}
    for text in texts:
        assert "SECRET" not in text
        for line in map(json.loads, text.splitlines()):
            words = " ".join(str(value) for key, value in line.items() if key not in public)
            words = words.replace(line.get("session", "-"), "")
            assert not private & set(words.replace("(", " ").replace(")", " ").split())


def test_a_dry_run_shows_the_vector_and_sends_nothing(deployment):
    site = Site(deployment.place("site-1"))
    shown = dry_run(site, CHOICES | {"record_cap": 1000})
    federation, _ = deployment.in_one_process()
    numbers = [
        int(line.split()[-1]) for line in shown.splitlines() if line.startswith(f"{deployment.schema.label}=")
    ]
    assert numbers == federation.contribution(deployment.nodes[0], 5).tolist()
    assert "to aggregator:" in shown
    assert not (site.folder / "releases").exists()
    assert site.ledger.payments() == ()
    deployment.edit("site-1", smallest_group=9)
    with pytest.raises(ValueError, match="a group of 5 nodes"):
        dry_run(Site(deployment.place("site-1")), CHOICES | {"record_cap": 1000})


def test_a_deployed_round_is_reported_like_a_local_one_and_with_its_stages(deployment, monkeypatch):
    monkeypatch.setattr("sys.argv", ["flwr-serverapp", "--token", "SECRET"])
    folder = deployment.round()
    Report.read(folder / RESULT).write(folder / "report.html")
    page = (folder / "report.html").read_text()
    for words in ("What each party saw", "Ledger", "6 stages took", "slowest party&#x27;s work, s"):
        assert words in page
    stages = [line["name"] for line in deployment.said(folder, "stage")]
    assert all(f"<td>{name}</td>" in page for name in stages)
    assert "SECRET" not in page
    assert "SECRET" not in (folder / RESULT / "manifest.json").read_text()
    assert "Left before the end" not in page


def test_a_report_says_who_left_before_the_end_and_why(deployment):
    folder = deployment.round(dead={"site-2": 1})
    (left,) = deployment.said(folder, "left")
    Report.read(folder / RESULT).write(folder / "report.html")
    page = (folder / "report.html").read_text()
    assert "Left before the end" in page
    assert "<td>site-2</td>" in page
    assert f"<td>{left['why']}</td>" in page


def test_a_round_is_run_once(deployment):
    folder = deployment.round()
    with pytest.raises(ValueError, match="there is no round '0001' that waits to be run"):
        deployment.coordinator.run(folder.name, lambda *_: pytest.fail("it was run"))
    with pytest.raises(ValueError, match="there is no round"):
        deployment.coordinator.run("../0001", lambda *_: pytest.fail("it was run"))


def test_scenarios_that_no_deployment_can_run_are_refused(deployment):
    for choices, why in (
        ({"dataset": "adult"}, "the records are at the sites: leave out dataset"),
        ({"protocol": "threshold_paillier"}, "is not in the roster"),
        ({"rule": "trusted_rows"}, "needs public records"),
        *(({"protocol": name}, f"{name} needs links") for name in NEED_LINKS),
    ):
        with pytest.raises(ValueError, match=why):
            deployment.coordinator.order({"protocol": "plain", "epsilon": "1"} | choices)


def test_every_protocol_is_known_to_be_relayed_or_not():
    assert sorted((*RELAYED, *NEED_LINKS)) == sorted(PROTOCOLS)


@pytest.mark.parametrize("name", NEED_LINKS)
def test_protocols_that_need_links_are_not_agreed_to(deploy, name):
    with pytest.raises(ValueError, match=f"{name} needs links that the coordinator cannot read"):
        deploy([name])


def test_keys_are_never_replaced_and_only_their_owners_read_them(deployment):
    schema = deployment.root / "schema.toml"
    with pytest.raises(ValueError, match="keys are never replaced"):
        init(deployment.folder, schema, NAMES, ["plain"], "127.0.0.1:1", "127.0.0.1", None)
    secret = [*deployment.folder.rglob("*.key")]
    assert len(secret) == 2 + 2 * len(deployment.parties)
    assert {path.stat().st_mode & 0o077 for path in secret} == {0}
