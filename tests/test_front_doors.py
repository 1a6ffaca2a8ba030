"""`import securenb as nb`, `import attacks`, `import protocols`: what they show, and that they are quick."""

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import attacks
import protocols
import securenb as nb

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "pydantic", "typer", "rich", "altair", "matplotlib")


@pytest.mark.parametrize("package", ["securenb", "attacks", "protocols"])
def test_every_public_name_is_there_and_documented(package):
    door = import_module(package)
    assert door.__all__ == sorted(door.__all__)
    assert set(door.__all__) <= set(dir(door))
    for name in door.__all__:
        found = getattr(door, name)
        if name.isupper():
            assert len(found) > 2
        elif name != "__version__":
            assert callable(found)
            assert found.__doc__


@pytest.mark.parametrize("package", ["securenb", "attacks", "protocols"])
def test_a_name_that_is_not_there_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nonsense'"):
        import_module(package).nonsense  # noqa: B018


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_opening_the_doors_imports_nothing_heavy_and_takes_no_time():
    code = (
        "import time, sys; begin = time.process_time(); import securenb, attacks, protocols; "
        "took = time.process_time() - begin; print(took, *sys.modules)"
    )
    took, *imported = run(code).split()
    assert not {name.partition(".")[0] for name in imported} & set(HEAVY)
    assert float(took) < 0.12  # 0.02 on a quiet machine


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--help"], {"typer"}),
        (["deploy", "--help"], {"typer", "pydantic"}),
        (["list"], {"typer", "pydantic"}),
    ],
)
def test_help_and_list_import_what_they_need(arguments, allowed):
    code = f"import sys; from securenb.cli.main import main; main({arguments}); print(); print(*sys.modules)"
    imported = {name.partition(".")[0] for name in run(code).splitlines()[-1].split()}
    assert imported & set(HEAVY) <= allowed


def test_brackets_in_help_are_not_eaten():
    assert "securenb[flower]" in run("from securenb.cli.main import main; main(['deploy', '--help'])")


def test_a_sum_is_one_call():
    vectors = {name: np.arange(3) * i for i, name in enumerate("abc")}
    opened = protocols.sum(vectors, "secagg(profile=semi-honest)", seed=1)
    assert opened.rows.tolist() == [[0, 3, 6]]
    assert opened.members == (("a", "b", "c"),)
    assert protocols.sum(np.ones((4, 2), int), "masking", group_size=2).rows.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize(
    ("vectors", "choices", "message"),
    [
        ([], {}, "no vectors"),
        ([[0.5]] * 3, {}, "row of integers"),
        ([[[1]]] * 3, {}, "row of integers"),
        ([[1], [1, 2], [3]], {}, "length 1"),
        ([[9]] * 3, {"bound": 8}, "coordinate 0 is 9"),
        (np.full((3, 1), 2**63, np.uint64), {}, "larger than any sum"),
        ([[1]] * 3, {"threshold": 9}, "9"),
        ([[1]] * 3, {"group_size": 7}, "7"),
    ],
)
def test_what_cannot_be_summed_is_refused(vectors, choices, message):
    with pytest.raises(ValueError, match=message):
        protocols.sum(vectors, "masking", **choices)


def test_packages_can_be_called_like_their_functions():
    data = nb.load_dataset("phishing")
    scenario = nb.Scenario.checked(
        dataset="phishing", nodes=6, protocol="ideal", epsilon="none", seed=1, rule="sum"
    )
    model = scenario.federation(data).run(scenario.deal(data)).model
    assert len(nb.certify(model, data.test.codes[:3], 1, 10).frame) == 3
    audit = attacks.audit(scenario.model_copy(update={"epsilon": "1"}), levels=["L0"])
    assert {finding.level for finding in audit.findings} == {"L0"}
