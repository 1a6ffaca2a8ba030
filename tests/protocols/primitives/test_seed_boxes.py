import pytest

from protocols.entropy import seeded
from protocols.primitives.box import BoxKey, seal
from protocols.primitives.seed_boxes import open_seeds, seed_tag, seeds_for

HOLDER, OTHER = BoxKey("hybrid", bytes(range(1, 33))), BoxKey("hybrid", bytes(range(2, 34)))
SEEDS = (bytes([7]) * 32, bytes([8]) * 32)
DIGEST = bytes(32)


def sealed(seeds):
    letter = seeds_for(HOLDER.public, DIGEST, "node-1", "holder-1", seeds)
    return seal("hybrid", [letter], seeded(1)("node-1"))[0]


BOX = sealed(SEEDS)


def test_the_holder_finds_the_seeds():
    assert open_seeds(HOLDER, DIGEST, "node-1", "holder-1", BOX) == SEEDS
    assert len(BOX) == 2 * 32 + 1120 + 16


@pytest.mark.parametrize(
    "change",
    [
        {"session_digest": bytes([1]) + bytes(31)},
        {"node": "node-2"},
        {"holder": "holder-2"},
        {"mine": OTHER},
        {"box": BOX[:-1]},
        {"box": BOX[:1] + bytes([BOX[1] ^ 1]) + BOX[2:]},
        {"box": b""},
    ],
)
def test_a_box_opens_only_for_what_it_was_sealed_for(change):
    right = {"mine": HOLDER, "session_digest": DIGEST, "node": "node-1", "holder": "holder-1"}
    with pytest.raises(ValueError, match="does not belong here|a box has"):
        open_seeds(**{**right, "box": BOX, **change})


def test_a_box_holds_whole_seeds():
    with pytest.raises(ValueError, match="31 bytes, no whole number of seeds"):
        open_seeds(HOLDER, DIGEST, "node-1", "holder-1", sealed([bytes(31)]))


def test_tags_are_equal_only_for_equal_seeds_of_one_node_and_session():
    tags = {seed_tag(d, n, s) for d in (DIGEST, b"x" * 32) for n in ("a", "b") for s in SEEDS}
    assert len(tags) == 8
    assert {len(tag) for tag in tags} == {16}
    assert seed_tag(DIGEST, "a", SEEDS[0]) == seed_tag(DIGEST, "a", bytes([7]) * 32)
