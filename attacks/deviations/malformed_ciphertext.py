"""Ciphertexts that are none."""

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.messages import Proven
from protocols.schemes.paillier import Sealed
from protocols.wire import Message


class MalformedCiphertext(Rewriting):
    """Encrypts its vector to zeros, which are no units."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        if not isinstance(body, Sealed | Proven):
            return None
        return msgspec.structs.replace(body, ciphertexts=bytes(len(body.ciphertexts)))
