"""securenb itself: protocols with real bytes, discrete Laplace noise on counts, the centres of its rules.

The adapter orders rows, and refuses what is not finite or beyond a rule's tolerance, as `Rule.combine` does
before a centre is taken: rows of a board are no sums of records, which that takes.
"""

from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

import numpy as np

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import system
from protocols.grouping import one_group
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.samplers import ExactNoise
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points
from securenb.robust.rule import RULES
from securenb.schema.features import Categorical
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

BOUND = 1 << 30
SCHEMES = ("masking", "secagg", "secagg_plus", "oneshot")
SENDS = {"masking": 2, "secagg": 4, "secagg_plus": 4, "oneshot": 1}
"""The stages in which a node sends; it is silent from one of them on."""
NAMES = [
    name
    for name in (
        "median",
        "trimmed_mean",
        "krum",
        "multi_krum",
        "bulyan",
        "mda",
        "meamed",
        "geometric_median",
    )
    if issubclass(RULES[name], PointRule)
]
SCHEMA = Schema(("0", "1"), (Categorical("x", ("low", "high")),), "y")


def about():
    schemes = {
        name: {
            "lowest": -BOUND,
            "highest": BOUND,
            "stages": [f"stage {at + 1}" for at in range(SENDS[name])],
            "tampers": ["malformed", "repeated", "replayed"],
            "clients": 100,
        }
        for name in SCHEMES
    }
    return {
        "name": "securenb",
        "version": version("securenb"),
        "level": "framework",
        "own": True,
        "schemes": schemes,
    }


class Tampered(Faults):
    """Changes what one node sends, and keeps what all nodes send."""

    def __init__(self, kind, victim, earlier, **more):
        super().__init__(**more)
        self.kind, self.victim, self.earlier, self.sent = kind, victim, list(earlier), {}

    def carry(self, frame):
        self.sent.setdefault(frame.sender, []).append(frame)
        if frame.sender != self.victim or not self.kind:
            return [frame], []
        if self.kind == "repeated":
            return [frame, frame], []
        if self.kind == "replayed":
            return [self.earlier.pop(0) if self.earlier else frame], []
        return [Frame(frame.sender, frame.recipient, frame.data[: len(frame.data) // 2] + b"garbage")], []


def once(scheme, vectors, silent=None, kind="", victim="", earlier=()):
    held = {f"node-{at}": np.array(vector, dtype=np.int64) for at, vector in enumerate(vectors)}
    protocol = PROTOCOLS[scheme]()
    session = protocol.session(
        one_group(list(held)), len(vectors[0]), Capacity(BOUND, len(held)), system("session")(16)
    )
    faults = Tampered(kind, victim, earlier, silent=silent or {})
    opened = LocalRun(protocol.parties(held, session, system), protocol.codec(session), session, faults).run()
    return opened, faults


def run(scheme, vectors, silent, tamper):
    gone = {}
    if silent:
        gone = {f"node-{at}": int(silent["stage"].split()[1]) - 1 for at in silent["clients"]}
    kind, victim, earlier = "", "", ()
    if tamper:
        kind, victim = tamper["kind"], f"node-{tamper['client']}"
        if kind == "replayed":
            earlier = once(scheme, vectors)[1].sent[victim]
    opened, faults = once(scheme, vectors, gone, kind, victim, earlier)
    members = [int(name.split("-")[1]) for name in opened.members[0]]
    return {
        "sum": [int(v) for v in opened.rows[0]],
        "members": members,
        "sent": [
            [frame.data.hex() for frame in faults.sent.get(f"node-{at}", ())] for at in range(len(vectors))
        ],
    }


def releases():
    return [{"name": name, "adjacency": "add-remove", "size_public": "no"} for name in ("discrete_laplace",)]


def release(name, data, epsilon, runs):
    x = np.array(data["x"], dtype=float)
    records = Records((x > 0.5).astype(np.int32).reshape(-1, 1), np.array(data["y"], dtype=np.int32))
    counts = Statistics.of(SCHEMA, records).vector()
    mechanism = MECHANISMS[name](Fraction(epsilon))
    noise = ExactNoise(system("noise"))
    return [(counts + mechanism.share(SCHEMA, 1, noise)).tolist() for _ in range(runs)]


def rules():
    return NAMES


def chosen(rule, f):
    return replace(RULES[rule](), malicious=f)


def tolerates(rule, n):
    return int(chosen(rule, 1).tolerance(n))


def combine(rule, rows, f):
    points = np.array(rows, dtype=np.float64)
    if not np.isfinite(points).all():
        raise ValueError("a row is not finite: rows of sums of integers never are")
    made = chosen(rule, f)
    if f > made.tolerance(len(points)):
        raise ValueError(f"{rule} withstands {made.tolerance(len(points))} of {len(points)} rows, got {f}")
    ordered = points[np.lexsort(points.T[::-1])]
    return made.centre(Points(ordered, np.ones(ordered.shape, bool)))
