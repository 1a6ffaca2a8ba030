"""phe, Python Paillier: sums of encrypted whole numbers. Keys of 1,024 bits: size is not what is checked."""

from importlib.metadata import version

from phe import EncryptedNumber, paillier

PUBLIC, PRIVATE = paillier.generate_paillier_keypair(n_length=1024)
BAD = {
    "ciphertext zero": 0,
    "ciphertext multiple of the modulus": PUBLIC.n,
    "ciphertext out of range": PUBLIC.nsquare + 12345,
    "malformed": "not a number",
}


def about():
    most = PUBLIC.max_int
    scheme = {"lowest": -most, "highest": most, "tampers": list(BAD)}
    return {"name": "phe", "version": version("phe"), "level": "primitive", "schemes": {"paillier": scheme}}


def run(scheme, vectors, silent, tamper):
    sent = [[PUBLIC.encrypt(value) for value in vector] for vector in vectors]
    if tamper:
        sent[tamper["client"]] = [EncryptedNumber(PUBLIC, BAD[tamper["kind"]]) for _ in vectors[0]]
    total = [sum(column[1:], column[0]) for column in zip(*sent, strict=True)]
    return {
        "sum": [PRIVATE.decrypt(each) for each in total],
        "sent": [[str(each.ciphertext(be_secure=False)) for each in row] for row in sent],
    }
