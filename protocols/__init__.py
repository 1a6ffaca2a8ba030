"""Secure sums of integer vectors, one scheme a file; nothing here knows what the integers mean.

``protocols.sum(vectors, "secagg")`` runs one; the names below are the public ones.
"""

from protocols.front import front

_NAMES = {
    "Abort": "protocols.errors",
    "Capacity": "protocols.ring",
    "Claims": "protocols.protocol",
    "Envelope": "protocols.party",
    "FaultyParty": "protocols.errors",
    "Faults": "protocols.engines.faults",
    "LocalRun": "protocols.engines.local",
    "Message": "protocols.wire",
    "Opened": "protocols.opened",
    "PROTOCOLS": "protocols.protocol",
    "Party": "protocols.party",
    "Protocol": "protocols.protocol",
    "Session": "protocols.session",
    "Spec": "protocols.spec",
    "TooFewParties": "protocols.errors",
    "Transcript": "protocols.engines.transcript",
    "check_protocol": "protocols.checks",
    "load_plugin": "protocols.plugins",
    "sum": "protocols.sums:secure_sum",
}

__all__ = sorted(_NAMES)

__getattr__, __dir__ = front(__name__, _NAMES)
