import pytest

from protocols.primitives.identity import Identity, Roster

ALICE, BOB = Identity(b"a" * 32), Identity(b"b" * 32)
ROSTER = Roster({"alice": ALICE.public, "bob": BOB.public})


def test_signatures_are_those_of_rfc_8032_test_1():
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    signer = Identity(seed)
    assert signer.public.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert signer.sign(b"").hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )


def test_only_the_signer_s_signature_under_the_same_statement_counts():
    signature = ALICE.sign(b"s" * 32)
    assert ROSTER.signed("alice", b"s" * 32, signature)
    assert not ROSTER.signed("bob", b"s" * 32, signature)
    assert not ROSTER.signed("alice", b"t" * 32, signature)
    assert not ROSTER.signed("alice", b"s" * 32, signature[:-1] + b"\0")
    assert not ROSTER.signed("alice", b"s" * 32, b"")


def test_one_key_for_two_names_is_refused():
    with pytest.raises(ValueError, match="alice and eve have the same identity key"):
        Roster({"alice": ALICE.public, "eve": ALICE.public})


def test_what_is_no_key_is_refused_by_name():
    with pytest.raises(ValueError, match="bob: "):
        Roster({"alice": ALICE.public, "bob": b"short"})


PRIME = 2**255 - 19
ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022


@pytest.mark.parametrize("sign", [0, 1 << 255])
@pytest.mark.parametrize("y", [0, 1, PRIME - 1, ORDER_8, PRIME - ORDER_8, PRIME, PRIME + 1, PRIME + 3])
def test_a_key_under_which_anybody_could_sign_or_with_a_second_encoding_is_refused(y, sign):
    with pytest.raises(ValueError, match="eve: .*(small order|one way)"):
        Roster({"alice": ALICE.public, "eve": (y | sign).to_bytes(32, "little")})


def test_the_digest_depends_on_names_and_keys_only():
    same = Roster({"bob": BOB.public, "alice": ALICE.public})
    swapped = Roster({"bob": ALICE.public, "alice": BOB.public})
    assert ROSTER.digest == same.digest != swapped.digest
    assert dict(ROSTER) == {"alice": ALICE.public, "bob": BOB.public}
    assert len(ROSTER) == 2
