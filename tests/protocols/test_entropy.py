from protocols.entropy import seeded, system


def test_a_named_stream_is_the_same_again():
    assert seeded(7)("node-1")(40) == seeded(7)("node-1")(40)


def test_a_stream_does_not_depend_on_how_it_is_read():
    entropy = seeded(7)("node-1")
    assert b"".join(entropy(size) for size in (1, 0, 15, 16, 8)) == seeded(7)("node-1")(40)


def test_streams_of_other_names_and_seeds_differ():
    streams = {seeded(seed)(name)(32) for seed in range(-2, 5) for name in ("a", "b", "ab", "")}
    assert len(streams) == 28


def test_a_stream_does_not_repeat():
    entropy = seeded(7)("node-1")
    assert len({entropy(32) for _ in range(100)}) == 100


def test_bytes_are_balanced():
    data = seeded(1)("a")(100_000)
    ones = sum(byte.bit_count() for byte in data)
    assert abs(ones - 400_000) < 2_500  # more than five standard deviations of 447


def test_the_system_gives_fresh_bytes():
    entropy = system("anybody")
    assert len(entropy(32)) == 32
    assert entropy(32) != entropy(32)
