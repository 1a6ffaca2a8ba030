"""What the command line says of itself."""

import pytest

from securenb.cli.main import MISTAKE, build, main, one_suggestion


def commands(app, *path):
    """Every command that there is, as the words that call it."""
    for command in app.registered_commands:
        yield (*path, command.name)
    for group in app.registered_groups:
        yield from commands(group.typer_instance, *path, group.name)


EVERY = sorted(commands(build()))


def test_the_version_is_the_packages(capsys):
    from importlib.metadata import version

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"securenb {version('securenb')}\n"


@pytest.mark.parametrize("words", [(), *EVERY], ids=" ".join)
def test_help_is_two_letters_away_and_its_brackets_are_whole(words, capsys):
    assert main([*words, "-h"]) == 0
    text = capsys.readouterr().out
    assert "\\[" not in text
    assert text.startswith("Usage: ")
    assert main([*words, "--help"]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    "words",
    [
        ["--plugin", "FILE", "list", "rules"],
        ["--plugin=FILE", "list", "rules"],
        ["list", "rules", "--plugin", "FILE"],
    ],
    ids=" ".join,
)
def test_a_file_of_methods_may_stand_before_or_after_the_command(words, tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(
        "import securenb as nb\nclass SeenRule(nb.RULES['median']):\n    'Mine.'\n", encoding="utf-8"
    )
    assert main([word.replace("FILE", str(file)) for word in words]) == 0
    assert "seen_rule" in capsys.readouterr().out


def test_a_file_of_methods_may_stand_before_a_command_of_a_group(tmp_path, capsys):
    assert main(["deploy", "--plugin", str(tmp_path / "absent.py"), "key"]) == MISTAKE
    assert "absent.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    "parsers",
    [
        "No such option: --epsilom (Possible options: --epsilon)",
        "No such option: --epsilom Did you mean --epsilon?",
        "No such option: --epsilom Did you mean --epsilon? Did you mean --epsilon?",
    ],
)
def test_every_version_of_the_parser_makes_the_same_suggestion(parsers):
    assert one_suggestion(parsers) == "No such option: --epsilom Did you mean --epsilon?"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["atack"], "'attack'"),
        (["train", "phishing", "--epsilom", "1"], "--epsilon"),
        (["train", "phishin", "--protocol", "plain", "--epsilon", "1", "--out", "x"], "'phishing'"),
        (["train", "phishing", "--protocol", "plian", "--epsilon", "1", "--out", "x"], "'plain'"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_one_that_was_meant_once(words, meant, capsys):
    assert main(words) == MISTAKE
    said = capsys.readouterr().err
    assert meant in said
    assert said.lower().count("did you mean") == 1
    assert said.count("\n") == 1
