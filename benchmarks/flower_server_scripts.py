"""What a deviating server does to clients that run Flower's SecAgg+; see `flower_script.py`."""

import numpy as np
from flower_script import (
    CLIP,
    KEYS,
    MASKED,
    MODULUS,
    RANGE,
    SEALED,
    SEED,
    SHARES,
    THRESHOLD,
    UNMASK,
    VICTIM,
    Script,
    changed,
)
from flower_secagg import mean_of
from flwr.common import bytes_to_ndarray
from flwr.common.secure_aggregation.crypto.shamir import combine_shares
from flwr.common.secure_aggregation.crypto.symmetric_encryption import decrypt, encrypt, generate_shared_key
from flwr.common.secure_aggregation.quantization import dequantize
from flwr.common.secure_aggregation.secaggplus_constants import RECORD_KEY_CONFIGS, Key
from flwr.common.secure_aggregation.secaggplus_utils import (
    pseudo_rand_gen,
    share_keys_plaintext_concat,
    share_keys_plaintext_separate,
)
from flwr.supercore.primitives.asymmetric import (
    bytes_to_private_key,
    bytes_to_public_key,
    generate_key_pairs,
    public_key_to_bytes,
)


class Recording(Script):
    """An honest run in which the server's words are kept."""

    def __init__(self):
        super().__init__(SEED + 1)
        self.words = {}

    def told(self, node, says):
        self.words[node, self.stage] = dict(says)


def unmasked(masked: list[bytes], seed: bytes, shared: dict[int, bytes]) -> np.ndarray:
    """A node's vector, from what it sent, the seed of its own mask, and the keys it shares with others."""
    parts = [bytes_to_ndarray(part) for part in masked]
    shapes = [part.shape for part in parts]
    parts = [part - mask for part, mask in zip(parts, pseudo_rand_gen(seed, MODULUS, shapes), strict=True)]
    for other, key in shared.items():
        masks = pseudo_rand_gen(key, MODULUS, shapes)
        sign = 1 if other < VICTIM else -1  # the node behind adds, the node before subtracts
        parts = [part - sign * mask for part, mask in zip(parts, masks, strict=True)]
    factor, vector = (part % MODULUS for part in parts)
    return dequantize([vector], CLIP, RANGE)[0] / (factor / RANGE)


class Server(Script):
    """Remembers public keys, masked vectors and shares."""

    role = "server"

    def __init__(self):
        super().__init__()
        self.public: dict[int, bytes] = {}
        self.masked: list[bytes] = []
        self.seeds: list[bytes] = []
        self.secrets: list[bytes] = []

    def said(self, node, says):
        if self.stage == KEYS:
            self.public[node] = says[Key.PUBLIC_KEY_1]
        if self.stage == MASKED and node == VICTIM:
            self.masked = says[Key.MASKED_PARAMETERS]

    def collect(self, told, says):
        """Sort the shares of the victim by what was asked for."""
        actives = len(told[Key.ACTIVE_NODE_ID_LIST])
        for place, (owner, share) in enumerate(
            zip(says[Key.NODE_ID_LIST], says[Key.SHARE_LIST], strict=True)
        ):
            if owner == VICTIM:
                (self.seeds if place < actives else self.secrets).append(share)

    def afterwards(self):
        if min(len(self.seeds), len(self.secrets)) < self.threshold:
            return
        secret = bytes_to_private_key(combine_shares(self.secrets))
        shared = {
            other: generate_shared_key(secret, bytes_to_public_key(public))
            for other, public in self.public.items()
            if other != VICTIM
        }
        self.read[VICTIM] = unmasked(self.masked, combine_shares(self.seeds), shared)


class BothLists(Server):
    """Names the last node as a survivor and as fallen silent, in one message."""

    name = "both_lists"

    def told(self, node, says):
        if self.stage == UNMASK:
            says[Key.DEAD_NODE_ID_LIST] = [VICTIM]
            self.asked = dict(says)

    def said(self, node, says):
        super().said(node, says)
        if self.stage == UNMASK:
            self.collect(self.asked, says)
            keep = len(self.asked[Key.ACTIVE_NODE_ID_LIST])
            says[Key.NODE_ID_LIST] = says[Key.NODE_ID_LIST][:keep]
            says[Key.SHARE_LIST] = says[Key.SHARE_LIST][:keep]


class SplitViews(Server):
    """Tells every second node that the last one fell silent."""

    name = "split_views"

    def told(self, node, says):
        if self.stage == UNMASK:
            if node % 2:
                says[Key.ACTIVE_NODE_ID_LIST] = [n for n in says[Key.ACTIVE_NODE_ID_LIST] if n != VICTIM]
                says[Key.DEAD_NODE_ID_LIST] = [VICTIM]
            self.asked = dict(says)

    def said(self, node, says):
        super().said(node, says)
        if self.stage == UNMASK:
            self.collect(self.asked, says)


class SplitViewsLow(SplitViews):
    """The same with a threshold of three, which is the server's to choose."""

    name = "split_views"
    threshold = 3


class SecondRelease(Server):
    """Opens the sum, and asks once more without the last node."""

    name = "second_release"

    def exchanged(self, node, message):
        replies = super().exchanged(node, message)
        if self.stage == UNMASK:

            def without(says):
                says[Key.ACTIVE_NODE_ID_LIST] = [n for n in says[Key.ACTIVE_NODE_ID_LIST] if n != VICTIM]
                says[Key.DEAD_NODE_ID_LIST] = [VICTIM]
                self.asked = dict(says)

            try:
                again = self.answer(changed(message, without))
            except Exception as error:
                self.refusals.append(f"{type(error).__name__}: {error}")
            else:
                self.collect(self.asked, again.content.config_records[RECORD_KEY_CONFIGS])
        return replies


class TinyGroup(Server):
    """Asks for the sum of the first two nodes."""

    name = "tiny_group"

    def told(self, node, says):
        if self.stage == UNMASK:
            active = says[Key.ACTIVE_NODE_ID_LIST]
            says[Key.ACTIVE_NODE_ID_LIST] = [n for n in active if n <= 2]
            says[Key.DEAD_NODE_ID_LIST] = [n for n in active if n > 2]


class Downgrade(Server):
    """Listens to two nodes only, and opens their sum with the lowest threshold that the workflow takes."""

    name = "downgrade"
    listened = frozenset({1, 2})
    threshold = 2


class Repeat(Server):
    """Says everything twice, and takes the first answer."""

    name = "repeat"

    def exchanged(self, node, message):
        replies = super().exchanged(node, message)
        super().exchanged(node, message)
        return replies


class StaleServer(Server):
    """Replays its words of another run before those of this one."""

    name = "stale_session"

    def __init__(self):
        super().__init__()
        self.earlier = Recording()
        mean_of(self.earlier, SHARES, THRESHOLD)

    def exchanged(self, node, message):
        def stale(says):
            words = dict(self.earlier.words[node, self.stage])
            for key in list(says):
                del says[key]
            says.update(words)

        try:
            self.answer(changed(message, stale))
        except Exception as error:
            self.refusals.append(f"{type(error).__name__}: {error}")
        return super().exchanged(node, message)


class SwappedKey(Server):
    """Gives the last node its own keys in place of all others', and takes off the masks that follow."""

    name = "swapped_key"

    def __init__(self):
        super().__init__()
        self.own = {
            node: (generate_key_pairs(), generate_key_pairs()) for node in self.vectors if node != VICTIM
        }
        self.sealing: dict[int, bytes] = {}
        self.true: bytes = b""

    def told(self, node, says):
        if node != VICTIM:
            return
        if self.stage == SEALED:
            for other, ((_, first), (_, second)) in self.own.items():
                says[str(other)] = [public_key_to_bytes(first), public_key_to_bytes(second)]
        if self.stage == MASKED:
            made_up = [
                encrypt(key, share_keys_plaintext_concat(other, VICTIM, b"", b""))
                for other, key in self.sealing.items()
            ]
            says[Key.SOURCE_LIST], says[Key.CIPHERTEXT_LIST] = list(self.sealing), made_up

    def said(self, node, says):
        super().said(node, says)
        if node != VICTIM:
            return
        if self.stage == KEYS:
            self.true = says[Key.PUBLIC_KEY_2]
        if self.stage == SEALED:
            sealed = zip(says[Key.DESTINATION_LIST], says[Key.CIPHERTEXT_LIST], strict=True)
            for other, text in sealed:
                key = generate_shared_key(self.own[other][1][0], bytes_to_public_key(self.true))
                self.sealing[other] = key
                self.seeds.append(share_keys_plaintext_separate(decrypt(key, text))[2])

    def afterwards(self):
        if not self.masked:
            return
        shared = {
            other: generate_shared_key(first[0], bytes_to_public_key(self.public[VICTIM]))
            for other, (first, _) in self.own.items()
        }
        self.read[VICTIM] = unmasked(self.masked, combine_shares(self.seeds), shared)


SERVER_SCRIPTS = [
    BothLists, Downgrade, Repeat, SecondRelease, SplitViews, SplitViewsLow, StaleServer, SwappedKey,
    TinyGroup,
]  # fmt: skip
