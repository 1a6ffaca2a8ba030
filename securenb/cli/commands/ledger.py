"""`securenb ledger`: what a ledger file says was spent, and how that comes about."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from securenb.cli import console
from securenb.cli.options import Json
from securenb.privacy.budget import Budget
from securenb.privacy.cost import epsilon_at
from securenb.privacy.journal import Account, LedgerFile
from securenb.privacy.ledger import shown


def command(
    file: Annotated[Path, typer.Argument(help="A ledger that `train --ledger` or a site keeps.")],
    budget: Annotated[
        str, typer.Option(help="What may be spent in all: EPS, or EPS,DELTA to compose at that delta.")
    ],
    json: Json = False,  # noqa: FBT002 - flags of the command line
) -> None:
    """Show every charge in a ledger, and what they come to together."""
    if not file.is_file():
        raise ValueError(f"there is no ledger {file}; it is made by the first run that is charged to it")
    allowed = Budget.parse(budget)
    account = LedgerFile(file).account()
    found = _summary(account, allowed)
    if json:
        console.show_json(found)
        return
    lines = [
        [line["what"], line["state"], line["mechanism"], str(line["honest"]), line["epsilon"]]
        for line in found["lines"]
    ]
    columns = ["charged for", "state", "noise", "honest contributors", "epsilon alone"]
    console.show_table(f"{file}: epsilon (add/remove) at delta {allowed.delta:g}", columns, lines)
    console.say(f"spent               {found['spent']} of {found['budget']}, however the rounds were chosen")
    console.say(f"remaining           {found['remaining']}")
    console.say(f"plain addition      {found['added']}")
    console.say(f"fixed in advance    {found['fixed in advance']} (no budget: see docs/privacy.md)")


def _summary(account: Account, budget: Budget) -> dict[str, Any]:
    spent, fixed = account.epsilon(budget.delta), account.fixed_epsilon(budget.delta)
    lines, alone = [], []
    for payment in account.payments:
        epsilon = epsilon_at(payment.cost("add-remove"), budget.delta)
        events = [event for path in payment.paths for event in path]
        if payment.state != "returned":
            alone.append(epsilon)
        lines.append(
            {
                "what": payment.what,
                "state": payment.state,
                "mechanism": ", ".join(sorted({event.mechanism for event in events})) or "not written down",
                "honest": min((event.honest for event in events), default=0) or "",
                "epsilon": shown(epsilon),
            }
        )
    known = [epsilon for epsilon in alone if epsilon is not None]
    added = shown(sum(known, Fraction(0))) if len(known) == len(alone) else "unknown"
    return {
        "lines": lines,
        "budget": str(budget),
        "spent": "unbounded" if spent is None else shown(spent),
        "remaining": "0" if spent is None else shown(max(budget.epsilon - spent, Fraction(0))),
        "added": added,
        "fixed in advance": "unknown" if fixed is None else f"{fixed:.6g}",
    }
