"""A session that breaks a rule is refused at the command line in one line, with the rule's name."""

import pytest

from protocols.session_rules import SessionRule
from securenb.cli.main import MISTAKE, main


@pytest.mark.parametrize(
    ("options", "rule", "value"),
    [
        (["--protocol", "secagg", "--threshold", "6"], SessionRule.THRESHOLD, "9 holders, got 6"),
        (["--protocol", "secagg", "--threshold", "10"], SessionRule.ENOUGH_NODES, "is 10 nodes"),
        (["--protocol", "plain", "--threshold", "10"], SessionRule.ENOUGH_NODES, "the group has 9"),
        (["--protocol", "secagg_plus", "--group-size", "2"], SessionRule.SMALLEST_GROUP, "a group of 2"),
        (["--protocol", "mixer", "--threshold", "1"], SessionRule.SMALLEST_GROUP, "a threshold of 1"),
        (["--protocol", "ring", "--threshold", "8"], SessionRule.WHOLE_GROUP, "9 nodes, got 8"),
        (["--protocol", "secagg", "--colluding", "7"], SessionRule.NOISE_SHARES, "7 collude"),
    ],
)
@pytest.mark.parametrize("command", ["train", "compare"])
def test_a_bad_session_is_refused_in_one_line_with_the_rules_name(capsys, command, options, rule, value):
    if command == "compare":
        options = ["--protocols" if option == "--protocol" else option for option in options]
    assert main([command, "phishing", "--nodes", "9", "--epsilon", "1", *options]) == MISTAKE
    said = capsys.readouterr().err
    assert said.startswith(f"securenb: {rule.value}: ")
    assert value in said
    assert said.count("\n") == 1
