"""Small HTML tables: how results show themselves in a notebook."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def html_table(caption: str, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table; the first column stands on the left, the others on the right."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, line, range(len(line))))}</tr>" for line in lines)
    return (
        f'<table><caption style="text-align: left">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def html_facts(caption: str, facts: Mapping[str, str]) -> str:
    """Names and values."""
    lines = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in facts.items()
    )
    return (
        f'<table><caption style="text-align: left">{escape(caption)}</caption><tbody>{lines}</tbody></table>'
    )


def _cell(text: str, position: int) -> str:
    side = "right" if position else "left"
    return f'<td style="text-align: {side}">{escape(text)}</td>'
