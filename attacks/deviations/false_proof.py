"""A proof that proves nothing."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.messages import Partial, Partials, Proven, Report, Verifier
from protocols.wire import Message


def _other(proof: bytes) -> bytes:
    return proof[:-1] + bytes([proof[-1] ^ 1])


class FalseProof(Rewriting):
    """Sends a proof that does not fit what it proves."""

    roles = ("node", "trustee")

    misblamed: ClassVar[Mapping[str, str]] = {
        "verified": "robustness takes honest helpers: the leader blames the nodes"
    }

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Proven(ciphertexts, proof):
                return Proven(ciphertexts, _other(proof))
            case Report(public, shares) if public:
                return Report(_other(public), shares)
            case Verifier(node, share) if share:
                return Verifier(node, _other(share))
            case Partials(groups):
                return Partials(tuple(self._unproven(group) for group in groups))
        return None

    def _unproven(self, partial: Partial) -> Partial:
        return msgspec.structs.replace(partial, response=_other(partial.response))
