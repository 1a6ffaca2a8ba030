"""phe's own tests, from its installed package, with our arithmetic behind its keys."""

import unittest
import warnings

import pytest
from gmpy2 import mpz, powmod

from protocols.primitives.paillier import PublicKey, decrypt, encrypt

paillier_test = pytest.importorskip(
    "phe.tests.paillier_test", reason="this package of phe comes without its tests"
)
phe = paillier_test.paillier

BITS = 1536
"""Of keys that phe's tests make: its own default takes longer, and 1024 do not hold one of them's 2^-965,
which then overflows for some keys."""

CLASSES = (
    "PaillierGeneric",
    "PaillierTestRawEncryption",
    "PaillierTestEncryptedNumber",
    "TestKeyring",
    "TestIssue62",
)
"""Those that encrypt and decrypt; others are about phe's encoding of floats."""


def raw_encrypt(self, plaintext, r_value=None):
    if not isinstance(plaintext, int):
        raise TypeError(f"{plaintext!r} is no int")
    key = PublicKey(mpz(self.n), mpz(1))
    randomiser = powmod(r_value or self.get_random_lt_n(), self.n, self.nsquare)
    return int(encrypt(key, [mpz(plaintext)], [randomiser])[0])


def raw_decrypt(self, ciphertext):
    if not isinstance(ciphertext, int):
        raise TypeError(f"{ciphertext!r} is no int")
    return int(decrypt(PublicKey(mpz(self.public_key.n), mpz(1)), self, [mpz(ciphertext)])[0])


@pytest.mark.slow
def test_phes_own_tests_pass_with_our_arithmetic(monkeypatch):
    calls = {"encrypt": 0, "decrypt": 0}

    def counted(name, function):
        def call(*arguments, **named):
            calls[name] += 1
            return function(*arguments, **named)

        return call

    made = phe.generate_paillier_keypair
    monkeypatch.setattr(phe.PaillierPublicKey, "raw_encrypt", counted("encrypt", raw_encrypt))
    monkeypatch.setattr(phe.PaillierPrivateKey, "raw_decrypt", counted("decrypt", raw_decrypt))
    monkeypatch.setattr(
        phe, "generate_paillier_keypair", lambda keyring=None, n_length=BITS: made(keyring, n_length)
    )
    loaded = unittest.defaultTestLoader.loadTestsFromModule(paillier_test)
    chosen = unittest.TestSuite(test for suite in loaded for test in suite if type(test).__name__ in CLASSES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = unittest.TestResult()
        chosen.run(result)
    assert result.testsRun == 85
    assert [(str(test), said) for test, said in (*result.errors, *result.failures)] == []
    assert min(calls.values()) > 80
