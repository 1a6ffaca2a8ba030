"""One round as plain values: what a report says of it later."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from protocols.engines.transcript import ROLES
from protocols.protocol import Protocol
from securenb.experiments.intervals import over_records
from securenb.federation.round import Round
from securenb.privacy.ledger import Ledger, Seen, shown
from securenb.privacy.sensitivity import ADJACENCIES, Adjacency
from securenb.privacy.witness_record import write as write_witnesses
from securenb.schema.records import Records

FILE = "rounds.json"
"""Where a run folder keeps its rounds, by protocol."""


def round_record(round_: Round, protocol: Protocol) -> dict[str, Any]:
    """Claims, traffic, charges and blame of a round; nothing of what was sent."""
    transcript = round_.transcript
    return {
        "learned": round_.learned,
        "claims": {
            "trust": protocol.claims.trust,
            "drop-outs": protocol.claims.dropouts,
            "a malicious aggregator": protocol.claims.malicious_aggregator,
            "source": protocol.claims.source,
        },
        "parties": {role: len(transcript.of_role(role)) for role in ROLES if transcript.of_role(role)},
        "messages": [
            {
                "sender": sender,
                "recipient": recipient,
                "message": message,
                "count": count,
                "bytes": transcript.kind_bytes[sender, recipient, message],
            }
            for (sender, recipient, message), count in transcript.kinds.items()
        ],
        "rows": [len(members) for members in round_.opened.members],
        "lost": [{"missing": list(lost.missing), "reason": lost.reason} for lost in round_.opened.lost],
        "charges": _charges(round_.ledger, round_.ledger.epsilon),
        "mechanisms": sorted({release.mechanism for release in round_.ledger.releases}),
        **(
            {}
            if round_.witnesses is None
            else {"witnesses": {"found": round_.witnesses.found, **asdict(round_.witnesses.bounds)}}
        ),
        "stages": [asdict(stage) for stage in transcript.stages],
        "blamed": [
            {"by": blame.by, "party": blame.whom, "reason": blame.reason} for blame in transcript.blames
        ],
        "left": [asdict(stop) for stop in transcript.stops],
    }


def losses(ledger: Ledger, delta: float) -> list[dict[str, Any]]:
    """What the events of a round cost, by who sees it: a whole node, where nodes are protected."""
    return _charges(ledger, lambda adjacency, seen: ledger.composed(adjacency, delta, seen))


def _charges(ledger: Ledger, epsilon: Callable[[Adjacency, Seen], Fraction | None]) -> list[dict[str, Any]]:
    views: tuple[Seen, ...] = ("row", "vector")
    return [
        {
            "seen by": "all" if seen == "row" else "the aggregator",
            "what": "opened rows" if seen == "row" else "nodes' vectors",
            "adjacency": adjacency,
            "epsilon": shown(epsilon(adjacency, seen)),
            "delta": ledger.delta(seen),
        }
        for seen in views
        if any(release.seen == seen for release in ledger.releases)
        for adjacency in ADJACENCIES
    ]


def round_figures(round_: Round, test: Records | None) -> dict[str, Any]:
    """A round in one tidy line; accuracies only where there are records to be judged on."""
    transcript = round_.transcript
    judged = (
        {}
        if test is None
        else {
            "accuracy": round_.model.score(test),
            "balanced_accuracy": round_.model.balanced_score(test),
            **over_records(round_.model, test),
        }
    )
    return {
        **judged,
        "learned": round_.learned,
        **{f"epsilon_{kind.replace('-', '_')}": shown(round_.ledger.epsilon(kind)) for kind in ADJACENCIES},
        "delta": round_.ledger.delta(),
        **({} if round_.witnesses is None else {"witnesses_found": round_.witnesses.found}),
        "sent_bytes": transcript.mean("node", "sent"),
        "received_bytes": transcript.mean("node", "received"),
        "node_cpu": transcript.mean("node", "cpu"),
        "aggregator_cpu": transcript.mean("aggregator", "cpu"),
    }


def write_rounds(folder: Path, rounds: Mapping[str, tuple[Round, Protocol]]) -> None:
    """Keep the records of some rounds, by protocol name, in a run folder; and their witness cells."""
    write_witnesses(folder, {name: round_.witnesses for name, (round_, _) in rounds.items()})
    records = {name: round_record(round_, protocol) for name, (round_, protocol) in rounds.items()}
    (folder / FILE).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
