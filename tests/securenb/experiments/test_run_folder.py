"""A run folder appears whole, or not at all."""

import json

import pytest

from securenb.experiments.run_folder import MANIFEST, run_folder, write_manifest
from securenb.experiments.scenario import Scenario

SCENARIO = Scenario.checked(dataset="phishing", nodes=3, protocol="plain", epsilon="1", seed=7)


def make(out, text="a", **options):
    with run_folder(out, **options) as folder:
        (folder / "results.csv").write_text(text)
        write_manifest(folder, SCENARIO)


def test_the_folder_has_the_files_and_a_manifest_with_their_digests(tmp_path):
    make(tmp_path / "deep" / "run")
    manifest = json.loads((tmp_path / "deep" / "run" / MANIFEST).read_text())
    assert manifest["seed"] == 7
    assert manifest["simulation"] is True
    assert manifest["scenario"]["dataset"] == "phishing"
    assert set(manifest["files"]) == {"results.csv"}
    assert list((tmp_path / "deep").iterdir()) == [tmp_path / "deep" / "run"]


def test_a_failure_inside_leaves_nothing_behind(tmp_path):
    def fail_half_way():
        with run_folder(tmp_path / "run") as folder:
            (folder / "results.csv").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_run_is_kept_unless_overwriting_is_asked_for(tmp_path):
    make(tmp_path / "run", "old")
    with pytest.raises(ValueError, match="is not empty"):
        make(tmp_path / "run", "new")
    assert (tmp_path / "run" / "results.csv").read_text() == "old"
    make(tmp_path / "run", "new", overwrite=True)
    assert (tmp_path / "run" / "results.csv").read_text() == "new"
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]


def test_a_failed_overwrite_keeps_the_earlier_run(tmp_path):
    make(tmp_path / "run", "old")
    with pytest.raises(RuntimeError), run_folder(tmp_path / "run", overwrite=True):
        raise RuntimeError
    assert (tmp_path / "run" / "results.csv").read_text() == "old"


def test_what_is_not_a_run_is_never_overwritten(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    with pytest.raises(ValueError, match="not a run"):
        make(tmp_path / "thesis", overwrite=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is not a folder"):
        make(tmp_path / "file")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot write to"):
        make(tmp_path / "file" / "run")


def test_a_manifest_without_a_seed_says_where_randomness_came_from(tmp_path):
    with run_folder(tmp_path / "run") as folder:
        write_manifest(folder, SCENARIO.model_copy(update={"seed": None}))
    manifest = json.loads((tmp_path / "run" / MANIFEST).read_text())
    assert manifest["simulation"] is False
    assert "operating system" in manifest["randomness"]
