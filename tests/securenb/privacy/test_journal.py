"""A budget holds across runs and crashes, and an edited file is refused."""

import json
import multiprocessing
import os
from fractions import Fraction

import pytest

from protocols.canonical import digest
from securenb.privacy.budget import Budget
from securenb.privacy.chain import opened
from securenb.privacy.cost import pure
from securenb.privacy.journal import LedgerFile
from securenb.privacy.ledger import Ledger, Release
from securenb.privacy.mechanism import NOT_PRIVATE, Charge
from securenb.privacy.mechanisms.discrete_gaussian import DiscreteGaussian
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema


def costs(epsilon, delta=0.0, vector=None):
    ledger = Ledger()
    ledger.record(
        Release("row 0", ("a", "b"), Charge(Fraction(epsilon), Fraction(epsilon) * 2, delta), "m", 1)
    )
    if vector is not None:
        charge = Charge(Fraction(vector), Fraction(vector) * 2)
        ledger.record(Release("vector", ("a",), charge, "m", 1, "vector"))
    return ledger


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.ledger"
    for index in range(3):
        LedgerFile(path).pay(f"run {index}", costs("1/10"), Budget(Fraction(1)))
    return path


def test_payments_add_up_across_runs_and_the_budget_is_met_exactly(path):
    for _ in range(7):
        LedgerFile(path).pay("more", costs("1/10"), Budget(Fraction(1)))
    with pytest.raises(ValueError, match=r"epsilon 0\.1 requested, 1 of 1 spent, 0 remaining"):
        LedgerFile(path).pay("once too often", costs("1/10"), Budget(Fraction(1)))
    assert len(LedgerFile(path).payments()) == 10


def test_a_refused_payment_charges_nothing_and_names_requested_and_remaining(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"epsilon 0\.8 requested, 0\.3 of 1 spent, 0\.7 remaining"):
        LedgerFile(path).pay("big", costs("0.8"), Budget(Fraction(1)))
    assert path.read_bytes() == before


def test_the_costliest_view_is_what_is_paid(tmp_path):
    paid = LedgerFile(tmp_path / "l").pay("plain", costs(1, vector=20), Budget(Fraction(100)))
    assert pure(paid.cost("add-remove")) == 20


def test_a_run_without_noise_is_refused(path):
    ledger = Ledger()
    ledger.record(Release("row 0", ("a",), NOT_PRIVATE, "none", 1))
    with pytest.raises(ValueError, match="without noise"):
        LedgerFile(path).pay("bare", ledger, Budget(Fraction(1000)))


def test_every_changed_byte_is_noticed(path):
    original = path.read_bytes()
    for at in range(0, len(original), 7):
        changed = bytearray(original)
        changed[at] ^= 1
        path.write_bytes(changed)
        with pytest.raises(ValueError, match="was edited: line [1-5]"):
            LedgerFile(path).pay("next", costs("1/10"), Budget(Fraction(1)))
    path.write_bytes(original)
    LedgerFile(path).pay("next", costs("1/10"), Budget(Fraction(1)))


@pytest.mark.parametrize("kept", [[0, 1, 2], [1, 2, 3], [0, 2, 3], [0, 2, 1, 3], [0, 1, 2, 3, 3], []])
def test_lines_that_are_missing_swapped_or_repeated_are_noticed(path, kept):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[index] for index in kept))
    with pytest.raises(ValueError, match="was edited"):
        LedgerFile(path).payments()


def test_a_lost_head_is_noticed(path):
    path.with_name(path.name + ".head").unlink()
    with pytest.raises(ValueError, match="was edited"):
        LedgerFile(path).payments()


@pytest.mark.parametrize("cut", [1, 40, 90])
def test_a_crash_while_a_line_is_written_loses_only_that_line(path, cut):
    whole = path.read_bytes()
    head = path.with_name(path.name + ".head").read_bytes()
    LedgerFile(path).pay("torn", costs("1/10"), Budget(Fraction(1)))
    path.write_bytes(path.read_bytes()[: len(whole) + cut])
    path.with_name(path.name + ".head").write_bytes(head)
    assert len(LedgerFile(path).payments()) == 3
    LedgerFile(path).pay("after", costs("1/10"), Budget(Fraction(1)))
    assert [payment.what for payment in LedgerFile(path).payments()][-1] == "after"


def test_a_crash_between_a_line_and_its_note_keeps_the_line(path):
    head = path.with_name(path.name + ".head").read_bytes()
    LedgerFile(path).pay("fourth", costs("1/10"), Budget(Fraction(1)))
    path.with_name(path.name + ".head").write_bytes(head)
    assert len(LedgerFile(path).payments()) == 4
    LedgerFile(path).pay("fifth", costs("1/10"), Budget(Fraction(1)))
    assert len(LedgerFile(path).payments()) == 5


def pay_often(path):
    for _ in range(5):
        LedgerFile(path).pay("run", costs("1/10"), Budget(Fraction(100)))


def test_two_processes_never_lose_each_others_payments(tmp_path):
    path = tmp_path / "shared"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=pay_often, args=(path,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(LedgerFile(path).payments()) == 15


def test_a_line_says_what_it_was_for_in_plain_words(path):
    entry = json.loads(path.read_text().splitlines()[1])["entry"]
    assert (entry["what"], entry["state"]) == ("run 0", "committed")
    assert (entry["events"][0]["mechanism"], entry["events"][0]["honest"]) == ("m", 1)
    assert entry["events"][0]["add_remove"] == ["pure", "1/10"]


def test_a_folder_is_no_ledger(tmp_path):
    with pytest.raises(ValueError, match="cannot keep a ledger"):
        LedgerFile(tmp_path).payments()


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_disk_without_room_charges_nothing_however_often(path, monkeypatch):
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    for broken in ("fsync", "pwrite"):
        with monkeypatch.context() as patch:
            patch.setattr(os, broken, full)
            for _ in range(3):
                with pytest.raises(OSError, match="No space left"):
                    LedgerFile(path).pay("no room", costs("1/10"), Budget(Fraction(1)))
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    LedgerFile(path).pay("more", costs("1/10"), Budget(Fraction(1)))
    assert [payment.what for payment in LedgerFile(path).payments()] == ["run 0", "run 1", "run 2", "more"]


def test_a_line_whose_note_a_crash_has_cost_is_noted_before_the_next(path, monkeypatch):
    head = path.with_name("people.ledger.head")
    note = head.read_bytes()
    LedgerFile(path).pay("more", costs("1/10"), Budget(Fraction(1)))
    head.write_bytes(note)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match="No space left"):
            LedgerFile(path).pay("no room", costs("1/10"), Budget(Fraction(1)))
    LedgerFile(path).pay("and more", costs("1/10"), Budget(Fraction(1)))
    assert [payment.what for payment in LedgerFile(path).payments()][3:] == ["more", "and more"]


SKELLAM = Skellam.from_epsilon("0.1", 1e-6)
SCHEMA = Schema(("a", "b"), (Numeric("n", 0, 1), Categorical("c", ("x", "y", "z"))))


def round_of(mechanism, among=3, shares=None, nodes=("a", "b")):
    ledger = Ledger()
    event = mechanism.event(SCHEMA, among, shares or among)
    charge = mechanism.charge(SCHEMA, among, shares)
    ledger.record(Release("row 0", nodes, charge, str(mechanism), among, "row", event))
    return ledger


def test_what_a_line_keeps_is_read_back_as_it_was(tmp_path):
    mechanisms = [SKELLAM, DiscreteGaussian.from_epsilon(1, 1e-6), DiscreteLaplace.from_epsilon("1/3")]
    for mechanism in mechanisms:
        LedgerFile(tmp_path / "l").pay("run", round_of(mechanism), Budget(Fraction(100), 1e-6))
    for mechanism, payment in zip(mechanisms, LedgerFile(tmp_path / "l").payments(), strict=True):
        assert payment.paths == ((mechanism.event(SCHEMA, 3, 3),),)
        assert payment.paths[0][0].schema == SCHEMA.digest.hex()


def test_a_hundred_rounds_are_charged_what_they_compose_to(tmp_path):
    file, budget = LedgerFile(tmp_path / "l"), Budget(Fraction("1.25"), 1e-6)
    for index in range(100):
        file.pay(f"round {index}", round_of(SKELLAM), budget)
    assert 1.1 < file.account().epsilon(1e-6) < 1.25
    with pytest.raises(
        ValueError, match=r"at delta 1e-06: epsilon 1\.\d+ requested, 1\.\d+ of 1\.25 spent, 0\.0"
    ):
        file.pay("too much", round_of(Skellam.from_epsilon(1, 1e-6)), budget)


def test_an_epsilon_up_to_a_delta_needs_a_budget_with_one(tmp_path, path):
    with pytest.raises(ValueError, match="the run costs epsilon only up to a delta.*EPS,DELTA"):
        LedgerFile(path).pay("skellam", round_of(SKELLAM), Budget(Fraction(100)))
    LedgerFile(path).pay("skellam", round_of(SKELLAM), Budget(Fraction(100), 1e-6))
    with pytest.raises(ValueError, match=r"people\.ledger costs epsilon only up to a delta"):
        LedgerFile(path).pay("laplace", costs("1/10"), Budget(Fraction(100)))


def test_a_charge_up_to_a_delta_that_does_not_say_how_it_composes_is_refused(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="does not say how that composes"):
        LedgerFile(path).pay("bare pair", costs("1/10", delta=0.4), Budget(Fraction(100), 0.5))
    assert path.read_bytes() == before


def test_a_delta_is_not_spent_again_by_every_round(tmp_path):
    wide = Skellam.from_epsilon("0.1", 0.4)
    file = LedgerFile(tmp_path / "l")
    with pytest.raises(ValueError, match="budget exceeded at delta 1e-06"):
        file.pay("round", round_of(wide), Budget(Fraction("0.4"), 1e-6))


OLD = [("run 0", "1/10", 0.0), ("run 1", "1/2", 2e-7)]


@pytest.fixture
def old(tmp_path):
    """A ledger as the first releases of this software wrote it."""
    lines, previous = [], bytes(32).hex()
    for what, epsilon, delta in OLD:
        previous = digest("securenb ledger line", previous, what, epsilon, float(delta).hex()).hex()
        fields = {"what": what, "epsilon": epsilon, "delta": delta, "hash": previous}
        lines.append(json.dumps(fields) + "\n")
    (tmp_path / "old").write_text("".join(lines))
    (tmp_path / "old.head").write_text(f"{len(lines)} {previous}\n")
    return tmp_path / "old"


def test_old_files_are_read_and_go_on(old):
    file = LedgerFile(old)
    assert [(p.what, str(p.epsilon), p.delta) for p in file.payments()] == OLD
    assert file.account().epsilon(2e-7) == Fraction(3, 5)
    assert file.account().epsilon(1e-7) is None
    with pytest.raises(ValueError, match=r"has charges up to delta 2e-07, and the budget is 1"):
        file.pay("more", costs("1/10"), Budget(Fraction(1)))
    file.pay("more", costs("1/10"), Budget(Fraction(1), 1e-6))
    assert LedgerFile(old).account().epsilon(1e-6) == Fraction(7, 10)
    with pytest.raises(ValueError, match=r"0\.7 of 1 spent, 0\.3 remaining"):
        file.pay("too much", costs("1/2"), Budget(Fraction(1), 1e-6))


def test_an_old_line_that_was_edited_is_noticed(old):
    old.write_text(old.read_text().replace('"1/2"', '"1/9"'))
    with pytest.raises(ValueError, match="was edited: line 2"):
        LedgerFile(old).payments()


def test_a_reserved_charge_counts_and_only_then_is_given_back(path):
    file, budget = LedgerFile(path), Budget(Fraction(1))
    file.reserve("round", "session", costs("0.7"), budget)
    with pytest.raises(ValueError, match="0 remaining"):
        file.pay("other", costs("1/10"), budget)
    file.give_back("session")
    file.give_back("session")
    file.pay("other", costs("0.7"), budget)
    with pytest.raises(ValueError, match="session is returned .* and stays so"):
        file.commit("session")
    with pytest.raises(ValueError, match="session was charged already"):
        file.reserve("again", "session", costs("1/10"), budget)


def test_a_committed_charge_is_never_given_back(path):
    file = LedgerFile(path)
    file.reserve("round", "session", costs("0.7"), Budget(Fraction(1)))
    for _ in range(2):
        file.commit("session")
    with pytest.raises(ValueError, match="session is committed .* and stays so"):
        LedgerFile(path).give_back("session")
    with pytest.raises(ValueError, match="no charge is called other"):
        file.commit("other")
    assert [payment.state for payment in file.payments()] == ["committed"] * 4
    assert file.account().epsilon(0.0) == 1


def test_a_state_that_a_ledger_would_not_write_is_noticed(path):
    LedgerFile(path).pay("round", costs("1/10"), Budget(Fraction(1)))
    with opened(path) as chain:
        chain.append({"kind": "state", "name": "line 2", "state": "returned"})
    with pytest.raises(ValueError, match="was edited: line 6"):
        LedgerFile(path).payments()


def test_records_and_whole_nodes_are_not_mixed(path):
    ledger = Ledger()
    mechanism = DiscreteLaplace.from_epsilon("0.01")
    event = mechanism.event(SCHEMA, 3, 3, cap=5)
    ledger.record(Release("row 0", ("a",), mechanism.charge(SCHEMA, 3), "m", 3, "row", event))
    with pytest.raises(ValueError, match="protects single records, .* whole nodes of at most 5 records"):
        LedgerFile(path).pay("nodes", ledger, Budget(Fraction(1)))


def test_nodes_of_several_groups_pay_what_the_costliest_pays(tmp_path):
    ledger, laplace = Ledger(), DiscreteLaplace.from_epsilon(1)
    for index, nodes in enumerate([("a", "b"), ("c",)]):
        event = laplace.event(SCHEMA, 2, 2 - index)
        charge = laplace.charge(SCHEMA, 2, 2 - index)
        ledger.record(Release(f"row {index}", nodes, charge, "m", 2, "row", event))
    LedgerFile(tmp_path / "l").pay("groups", ledger, Budget(Fraction(100)))
    spent = LedgerFile(tmp_path / "l").account().epsilon(0.0)
    assert spent == pytest.approx(laplace.charge(SCHEMA, 2, 1).add_remove)
    assert spent > 1
