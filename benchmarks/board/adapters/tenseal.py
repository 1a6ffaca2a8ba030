"""TenSEAL: sums of BFV vectors, packed, added by a server that has no key."""

import base64
from importlib.metadata import version

import tenseal as ts

MODULUS = 1032193
CONTEXT = ts.context(ts.SCHEME_TYPE.BFV, poly_modulus_degree=4096, plain_modulus=MODULUS)
HALF = MODULUS // 2


def about():
    scheme = {"lowest": -HALF, "highest": HALF, "tampers": ["malformed", "short"]}
    return {
        "name": "tenseal",
        "version": version("tenseal"),
        "level": "primitive",
        "schemes": {"bfv": scheme},
    }


def run(scheme, vectors, silent, tamper):
    sent = [ts.bfv_vector(CONTEXT, vector).serialize() for vector in vectors]
    if tamper:
        at = tamper["client"]
        garbage = sent[at][:100] + bytes(len(sent[at]) - 100)
        short = ts.bfv_vector(CONTEXT, vectors[at][:-1]).serialize()
        sent[at] = garbage if tamper["kind"] == "malformed" else short
    total = ts.bfv_vector_from(CONTEXT, sent[0])
    for each in sent[1:]:
        total = total + ts.bfv_vector_from(CONTEXT, each)
    return {"sum": total.decrypt(), "sent": [base64.b64encode(each).decode() for each in sent]}
