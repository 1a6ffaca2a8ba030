"""declearn: secure aggregation by masks, its own encrypter, aggregate and decrypter, with whole numbers."""

import dataclasses
import secrets
from importlib.metadata import version

import numpy as np
from declearn.secagg.masking import MaskedAggregate, MaskingDecrypter, MaskingEncrypter
from declearn.utils import Aggregate

HIGHEST = 2**56 - 1
DROP_OUTS = {
    "check": "drop_outs",
    "of": "masking",
    "quote": "without thresholding (i.e. without support for clients dropping)",
    "url": "https://pypi.org/project/declearn/2.9.1/",
    "date": "2026-12-01",
}


@dataclasses.dataclass
class Counts(Aggregate, register=False):
    values: np.ndarray


def about():
    scheme = {
        "lowest": 0,
        "highest": HIGHEST,
        "stages": ["upload"],
        "tampers": ["repeated", "short", "replayed"],
        "clients": 100,
    }
    return {
        "name": "declearn",
        "version": version("declearn"),
        "level": "class",
        "schemes": {"masking": scheme},
        "limits": [DROP_OUTS],
    }


def upload(vectors):
    n = len(vectors)
    seeds = {(i, j): secrets.randbits(128) for i in range(n) for j in range(i)}
    sent = []
    for i, vector in enumerate(vectors):
        positive, negative = [seeds[i, j] for j in range(i)], [seeds[j, i] for j in range(i + 1, n)]
        encrypter = MaskingEncrypter(positive, negative)
        sent.append(encrypter.encrypt_aggregate(Counts(np.array(vector, dtype=np.uint64))))
    return sent


def run(scheme, vectors, silent, tamper):
    sent = upload(vectors)
    received = list(sent)
    if silent:
        received = [each for at, each in enumerate(sent) if at not in silent["clients"]]
    if tamper:
        at = tamper["client"]
        if tamper["kind"] == "repeated":
            received.append(received[at])
        elif tamper["kind"] == "replayed":
            received[at] = upload(vectors)[at]
        else:
            whole = received[at]
            received[at] = MaskedAggregate(
                whole.encrypted[:-1], whole.enc_specs, whole.cleartext, whole.agg_cls, whole.max_int
            )
    total = received[0]
    for each in received[1:]:
        total = total.aggregate(each)
    opened = MaskingDecrypter(n_peers=len(vectors)).decrypt_aggregate(total)
    return {
        "sum": [int(v) for v in opened.values],
        "sent": [[int(v) for v in each.encrypted] for each in sent],
    }
