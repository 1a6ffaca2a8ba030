"""TNO's Paillier: sums of encrypted whole numbers, randomised as its own serialisation does."""

import warnings
from importlib.metadata import version

from tno.mpc.encryption_schemes.paillier import Paillier, PaillierCiphertext

warnings.simplefilter("ignore")
SCHEME = Paillier.from_security_parameter(key_length=1024, precision=0)
N = SCHEME.public_key.n
BAD = {
    "ciphertext zero": 0,
    "ciphertext multiple of the modulus": N,
    "ciphertext out of range": N * N + 12345,
    "malformed": "not a number",
}


def about():
    scheme = {"lowest": SCHEME.min_value, "highest": SCHEME.max_value, "clients": 100, "tampers": list(BAD)}
    return {
        "name": "tno.mpc.encryption_schemes.paillier",
        "version": version("tno.mpc.encryption_schemes.paillier"),
        "level": "primitive",
        "schemes": {
            "paillier": {**scheme, "lowest": int(scheme["lowest"]), "highest": int(scheme["highest"])}
        },
    }


def run(scheme, vectors, silent, tamper):
    sent = [[SCHEME.encrypt(value) for value in vector] for vector in vectors]
    raw = [[str(int(each.peek_value())) for each in row] for row in sent]
    if tamper:
        bad = BAD[tamper["kind"]]
        sent[tamper["client"]] = [PaillierCiphertext(bad, SCHEME) for _ in vectors[0]]
    total = []
    for column in zip(*sent, strict=True):
        each = column[0]
        for other in column[1:]:
            each = each + other
        total.append(int(SCHEME.decrypt(each)))
    return {"sum": total, "sent": raw}
