"""The dial between privacy and robustness: what stands in for a rule that cannot run on one row."""

import pandas as pd

from securenb.report.dial import dial


def results(inputs=("unchecked",), rules=("median", "sum")):
    lines = [
        {
            "nodes": 20, "rule": rule, "epsilon": epsilon, "group_size": size, "inputs": checks, "classes": 2,
            "cap_ratio": None if checks == "unchecked" else 1.0, "share": share, "attack": "zero",
            "balanced_accuracy": float("nan") if rule == "median" and size is None else 0.9 - share,
        }
        for rule in rules
        for epsilon in ("none", "1")
        for size in (1, 5, None)
        for checks in inputs
        for share in (0.0, 0.2)
    ]  # fmt: skip
    return pd.DataFrame(lines).astype({"cap_ratio": float, "group_size": float})


def hollow(panel):
    return [line for line in panel.lines if str(line.get_markerfacecolor()) == "white"]


def test_a_sum_ends_the_lines_of_a_rule_that_cannot_run_on_one_group():
    panels = dial(results(), "a title").axes
    assert [panel.get_title() for panel in panels] == ["no noise", "epsilon 1"]
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["1", "5", "all"]
    for panel in panels:
        assert len(hollow(panel)) == 2
        lines = [line for line in panel.lines if line.get_label().endswith("%")]
        assert [line.get_label() for line in lines] == ["0 %", "20 %"]
        assert [list(line.get_xdata()) for line in lines] == [[0, 1, 2]] * 2


def test_every_kind_of_inputs_has_a_row_of_panels_and_a_sum_alone_has_its_own():
    assert len(dial(results(inputs=("unchecked", "verified")), "a title").axes) == 4
    alone = dial(results(rules=("sum",)), "a title").axes
    assert len(alone) == 2
    assert not hollow(alone[0])
