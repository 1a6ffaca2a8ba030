"""The scripts of `attacks.deviations` that make sense for Flower's SecAgg+, played to its own code.

Run by `benchmarks.flower_deviations` with the Python of an environment in which `flwr` is installed; prints
one line of JSON. Needs nothing of this project.
"""

import json

import flwr
from flower_script import DEVIATOR, KEYS, MASKED, MODULUS, SEALED, UNMASK, Script, outcome
from flower_server_scripts import SERVER_SCRIPTS
from flwr.common import bytes_to_ndarray, ndarray_to_bytes
from flwr.common.secure_aggregation.secaggplus_constants import Key


class Silent(Script):
    name = "silent"

    def speaks(self, node):
        return node != DEVIATOR


class Vanish(Script):
    name = "vanish"

    def speaks(self, node):
        return node != DEVIATOR or self.stage == KEYS


def longest(says):
    """The field of bytes, or the first item of a list of bytes, that is longest, and how to put it back."""
    fields = {}
    for key, value in says.items():
        if isinstance(value, bytes):
            fields[key] = (value, lambda new, key=key: says.__setitem__(key, new))
        elif isinstance(value, list) and value and isinstance(value[0], bytes):
            fields[key] = (
                value[0],
                lambda new, key=key, value=value: says.__setitem__(key, [new, *value[1:]]),
            )
    return max(fields.values(), key=lambda found: len(found[0]))


class Forger(Script):
    """Says something else than its own client code, which must not notice."""

    def forged(self, says: dict) -> None:
        """Change what the deviating node says."""

    def said(self, node, says):
        if node != DEVIATOR:
            return
        if self.stage == KEYS:
            self.own = [says[Key.PUBLIC_KEY_1], says[Key.PUBLIC_KEY_2]]
        self.forged(says)

    def told(self, node, says):
        if node == DEVIATOR and self.stage == SEALED:
            says[str(DEVIATOR)] = self.own


class Altered(Forger):
    name = "altered"

    def forged(self, says):
        value, put = longest(says)
        put(bytes([(value[0] + 1) % 256]) + value[1:])


class ShortField(Forger):
    name = "short_field"

    def forged(self, says):
        value, put = longest(says)
        put(value[:-8])


class BrokenShare(Forger):
    name = "broken_share"

    def forged(self, says):
        if self.stage == SEALED:
            *others, last = says[Key.CIPHERTEXT_LIST]
            says[Key.CIPHERTEXT_LIST] = [*others, last[:-1] + bytes([last[-1] ^ 1])]


class Enormous(Forger):
    """Adds half the modulus to the first coordinate of the vector that it sends."""

    name = "enormous"

    def forged(self, says):
        if self.stage == MASKED:
            factor, *vectors = says[Key.MASKED_PARAMETERS]
            masked = bytes_to_ndarray(vectors[0])
            masked[0] = (masked[0] + MODULUS // 2) % MODULUS
            says[Key.MASKED_PARAMETERS] = [factor, ndarray_to_bytes(masked), *vectors[1:]]


class Skewed(Script):
    name = "skewed"

    def fit(self, message, context):
        if message.metadata.dst_node_id != DEVIATOR:
            return super().fit(message, context)
        honest = self.vectors[DEVIATOR]
        self.vectors[DEVIATOR] = honest + 0.5
        try:
            return super().fit(message, context)
        finally:
            self.vectors[DEVIATOR] = honest


class FalseShare(Forger):
    name = "false_share"

    def forged(self, says):
        if self.stage == UNMASK:
            first, *others = says[Key.SHARE_LIST]
            says[Key.SHARE_LIST] = [first[:4] + bytes([first[4] ^ 1]) + first[5:], *others]


class WeakKey(Forger):
    name = "weak_key"

    def forged(self, says):
        if self.stage == KEYS:
            says[Key.PUBLIC_KEY_1] = bytes(len(says[Key.PUBLIC_KEY_1]))


NODE_SCRIPTS = [
    Altered, BrokenShare, Enormous, FalseShare, ShortField, Silent, Skewed, Vanish, WeakKey,
]  # fmt: skip


def main() -> None:
    honest = outcome(Script())
    assert honest == ("harmless", ""), honest
    found = []
    for script in NODE_SCRIPTS + SERVER_SCRIPTS:
        what, why = outcome(script())
        found.append([script.role, script.name, script.threshold, what, why])
    print(json.dumps({"version": flwr.__version__, "found": found}))


if __name__ == "__main__":
    main()
