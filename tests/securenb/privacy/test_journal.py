"""A budget holds across runs and crashes, and an edited file is refused."""

import json
import multiprocessing
import os
from fractions import Fraction

import pytest

from securenb.privacy.journal import LedgerFile
from securenb.privacy.ledger import Ledger, Release
from securenb.privacy.mechanism import NOT_PRIVATE, Charge


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
        LedgerFile(path).pay(f"run {index}", costs("1/10"), Fraction(1))
    return path


def test_payments_add_up_across_runs_and_the_budget_is_met_exactly(path):
    for _ in range(7):
        LedgerFile(path).pay("more", costs("1/10"), Fraction(1))
    with pytest.raises(ValueError, match=r"epsilon 0\.1 requested, 0 of 1 remaining"):
        LedgerFile(path).pay("once too often", costs("1/10"), Fraction(1))
    assert len(LedgerFile(path).payments()) == 10


def test_a_refused_payment_charges_nothing_and_names_requested_and_remaining(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"epsilon 0\.8 requested, 0\.7 of 1 remaining"):
        LedgerFile(path).pay("big", costs("0.8"), Fraction(1))
    assert path.read_bytes() == before


def test_the_costliest_view_is_what_is_paid(tmp_path):
    paid = LedgerFile(tmp_path / "l").pay("plain", costs(1, vector=20), Fraction(100))
    assert paid.epsilon == 20


def test_a_run_without_noise_is_refused(path):
    ledger = Ledger()
    ledger.record(Release("row 0", ("a",), NOT_PRIVATE, "none", 1))
    with pytest.raises(ValueError, match="without noise"):
        LedgerFile(path).pay("bare", ledger, Fraction(1000))


def test_every_changed_byte_is_noticed(path):
    original = path.read_bytes()
    for at in range(0, len(original), 7):
        changed = bytearray(original)
        changed[at] ^= 1
        path.write_bytes(changed)
        with pytest.raises(ValueError, match="was edited: line [1-4]"):
            LedgerFile(path).pay("next", costs("1/10"), Fraction(1))
    path.write_bytes(original)
    LedgerFile(path).pay("next", costs("1/10"), Fraction(1))


@pytest.mark.parametrize("kept", [[0, 1], [1, 2], [0, 2], [1, 0, 2], [0, 1, 2, 2], []])
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
    LedgerFile(path).pay("torn", costs("1/10"), Fraction(1))
    path.write_bytes(path.read_bytes()[: len(whole) + cut])
    path.with_name(path.name + ".head").write_bytes(head)
    assert len(LedgerFile(path).payments()) == 3
    LedgerFile(path).pay("after", costs("1/10"), Fraction(1))
    assert [payment.what for payment in LedgerFile(path).payments()][-1] == "after"


def test_a_crash_between_a_line_and_its_note_keeps_the_line(path):
    head = path.with_name(path.name + ".head").read_bytes()
    LedgerFile(path).pay("fourth", costs("1/10"), Fraction(1))
    path.with_name(path.name + ".head").write_bytes(head)
    assert len(LedgerFile(path).payments()) == 4
    LedgerFile(path).pay("fifth", costs("1/10"), Fraction(1))
    assert len(LedgerFile(path).payments()) == 5


def pay_often(path):
    for _ in range(5):
        LedgerFile(path).pay("run", costs("1/10"), Fraction(100))


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
    first = json.loads(path.read_text().splitlines()[0])
    assert (first["what"], first["epsilon"], first["delta"]) == ("run 0", "1/10", 0.0)


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
                    LedgerFile(path).pay("no room", costs("1/10"), Fraction(1))
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    LedgerFile(path).pay("more", costs("1/10"), Fraction(1))
    assert [payment.what for payment in LedgerFile(path).payments()] == ["run 0", "run 1", "run 2", "more"]


def test_a_line_whose_note_a_crash_has_cost_is_noted_before_the_next(path, monkeypatch):
    head = path.with_name("people.ledger.head")
    note = head.read_bytes()
    LedgerFile(path).pay("more", costs("1/10"), Fraction(1))
    head.write_bytes(note)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match="No space left"):
            LedgerFile(path).pay("no room", costs("1/10"), Fraction(1))
    LedgerFile(path).pay("and more", costs("1/10"), Fraction(1))
    assert [payment.what for payment in LedgerFile(path).payments()][3:] == ["more", "and more"]
