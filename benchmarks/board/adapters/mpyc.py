"""MPyC: Shamir shares of its own arithmetic, added by five parties; one of them falls silent or lies."""

import secrets
from importlib.metadata import version

from mpyc import finfields, thresha

FIELD = finfields.GF(finfields.find_prime_root(130)[0])
HALF = (FIELD.modulus - 1) // 2
PASSIVE = {
    "check": "messages",
    "of": "shamir",
    "quote": "tolerating a dishonest minority of up to *t* passively corrupt parties",
    "url": "https://pypi.org/project/mpyc/0.11/",
    "date": "2026-12-01",
}


def about():
    scheme = {"lowest": -HALF, "highest": HALF, "stages": ["opening"], "tampers": ["malformed"]}
    return {
        "name": "mpyc",
        "version": version("mpyc"),
        "level": "primitive",
        "schemes": {"shamir": scheme},
        "limits": [PASSIVE],
    }


def run(scheme, vectors, silent, tamper):
    parties = 5
    shares = [thresha.random_split(FIELD, [FIELD(v) for v in vector], 2, parties) for vector in vectors]
    sums = []
    for p in range(parties):
        columns = zip(*(each[p] for each in shares), strict=True)
        sums.append([sum(column) % FIELD.modulus for column in columns])
    if tamper:
        sums[tamper["client"]] = [secrets.randbelow(FIELD.modulus) for _ in sums[0]]
    gone = silent["clients"] if silent else []
    points = [(p + 1, sums[p]) for p in range(parties) if p not in gone]
    opened = [int(v) % FIELD.modulus for v in thresha.recombine(FIELD, points)]
    return {
        "sum": [v if v <= HALF else v - FIELD.modulus for v in opened],
        "sent": [[int(v) for v in each[0]] for each in shares],
    }
