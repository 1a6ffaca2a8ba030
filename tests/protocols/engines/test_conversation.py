from protocols.engines.conversation import observe, role_of
from protocols.party import AGGREGATOR
from protocols.ring import Capacity
from protocols.schemes.masking import Masking
from protocols.schemes.oneshot import OneShot
from protocols.schemes.plain import Plain


def test_the_steps_of_masking_are_those_of_its_page():
    assert set(observe(Masking()).arrows) == {
        ("node", "[*]", "", "Key"),
        ("aggregator", "[*]", "Key", "GroupKeys"),
        ("node", "Key", "GroupKeys", "Masked"),
        ("node", "Masked", "", "[*]"),
        ("aggregator", "GroupKeys", "Masked", "[*]"),
    }


def test_a_deadline_is_a_step_where_others_are_done_without():
    assert ("aggregator", "[*]", "deadline", "[*]") in observe(Plain()).arrows
    assert all(heard != "deadline" for _, _, heard, _ in observe(Masking()).arrows)


def test_every_frame_of_the_honest_run_is_weighed():
    ((ends, sizes),) = observe(Plain()).sizes.items()
    assert ends == ("node", AGGREGATOR, "Vector")
    assert len(sizes) == 10
    assert all(8000 < size < 8100 for size in sizes)


def test_trustees_of_a_kind_share_a_role():
    session = OneShot().session((tuple("abc"),), 1, Capacity(1, 3), bytes(16))
    assert {role_of(trustee, session) for trustee in session.trustees} == {"holder"}
    assert [role_of(party, session) for party in ("a", AGGREGATOR)] == ["node", AGGREGATOR]
