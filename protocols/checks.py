"""The contract of a protocol as checks, for any protocol: exact sums or nothing, and blame.

They try cases; they prove nothing about secrecy. What a protocol says in its `claims` is for readers.
"""

import dataclasses
import inspect
from contextlib import suppress
from typing import Any, Literal, get_args, get_origin

import numpy as np

from protocols.contract import Promise, check_all, expect, refused
from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.tampering import LATE, TRICKS, Occasion, Tampering, Watching
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.grouping import Groups, one_group, shuffled, singletons
from protocols.opened import Opened
from protocols.parameters import parameters
from protocols.party import AGGREGATOR, PartyId
from protocols.protocol import Protocol
from protocols.ring import Capacity, Integers
from protocols.session import Session

NODES = tuple(f"node-{i}" for i in range(7))
LENGTH = 3
CAPACITY = Capacity(bound=1000, nodes=len(NODES), tail=50)
SESSION_ID = bytes(range(16))


def groupings(protocol: Protocol) -> list[Groups]:
    """All together, each alone, and shuffled groups of three and four: those that the protocol runs."""
    all_three = [one_group(NODES), singletons(NODES), shuffled(NODES, 3, np.random.default_rng(5))]
    return [groups for groups in all_three if min(map(len, groups)) >= protocol.smallest_group]


def vectors_of(seed: int = 0, length: int = LENGTH) -> dict[PartyId, Integers]:
    """A vector for each node, within the capacity."""
    rng, top = np.random.default_rng(seed), CAPACITY.largest_input
    return {node: rng.integers(-top, top, length, endpoint=True) for node in NODES}


def session_of(protocol: Protocol, groups: Groups, session_id: bytes = SESSION_ID) -> Session:
    """The session in which these groups are summed."""
    return protocol.session(groups, LENGTH, CAPACITY, session_id)


def run_of(
    protocol: Protocol,
    groups: Groups,
    vectors: dict[PartyId, Integers],
    faults: Faults = NO_FAULTS,
    seed: int = 1,
) -> LocalRun:
    """A run of all parties in this process, not begun yet."""
    session = session_of(protocol, groups)
    parties = protocol.parties(vectors, session, seeded(seed))
    return LocalRun(parties, protocol.codec(session), session, faults)


def expect_exact(opened: Opened, vectors: dict[PartyId, Integers], groups: Groups, case: str) -> None:
    """Each row is the sum of its members' vectors, who are of one group; no node is in two rows."""
    expect(len(opened.rows) == len(opened.members) > 0, f"{case}: {len(opened.rows)} rows were opened")
    summed = [node for members in opened.members for node in members]
    expect(len(set(summed)) == len(summed), f"{case}: a node is summed twice, in {opened.members}")
    for row, members in zip(opened.rows, opened.members, strict=True):
        inside = any(set(members) <= set(group) for group in groups)
        expect(members and inside, f"{case}: {members} are not members of one group")
        truth = np.sum([vectors[node] for node in members], axis=0)
        expect(np.array_equal(row, truth), f"{case}: the row of {members} is {row}, their sum {truth}")


def opens_exact_sums(protocol: Protocol) -> None:
    """It opens the exact sum of every group, whole, whatever the integers are."""
    top = CAPACITY.largest_input
    for groups in groupings(protocol):
        for seed in range(3):
            vectors = vectors_of(seed)
            vectors[NODES[0]][:] = [top, -top, 0]
            run = run_of(protocol, groups, vectors)
            opened, case = run.run(), f"groups of {sorted(map(len, groups))}"
            expect(set(opened.members) == set(groups), f"{case}: not all were summed, only {opened.members}")
            expect_exact(opened, vectors, groups, case)
            expect(not run.transcript.blames, f"{case}: honest parties are blamed: {run.transcript.blames}")


def sums_do_not_depend_on_keys(protocol: Protocol) -> None:
    """Other keys and masks open the same rows, and vectors are left as they were."""
    for groups in groupings(protocol):
        vectors, before = vectors_of(), vectors_of()
        first, second = (run_of(protocol, groups, vectors, seed=seed).run().rows for seed in (1, 2))
        expect(np.array_equal(first, second), f"{first} and {second} were opened with different keys")
        for node in NODES:
            expect(np.array_equal(vectors[node], before[node]), f"the vector of {node} was changed")


def blames_what_is_out_of_order(protocol: Protocol) -> None:
    """A frame that is broken, repeated, late, or another's is blamed on its sender and changes nothing."""
    groups = groupings(protocol)[-1]
    vectors, codec = vectors_of(), protocol.codec(session_of(protocol, groups))
    watching = Watching(codec, NODES)
    expected = run_of(protocol, groups, vectors, watching).run()
    limit = protocol.frame_limit(session_of(protocol, groups))
    expect(watching.largest < limit, f"an honest frame has {watching.largest} bytes, the limit is {limit}")
    elsewhere = protocol.codec(session_of(protocol, groups, bytes(16)))

    def replayed(at: Occasion) -> Frame:
        return at.sent(elsewhere.encode(at.frame.sender, at.frame.recipient, at.body))

    for kind in watching.kinds:
        for what, trick in {**TRICKS, "of another session": replayed}.items():
            faults = Tampering(kind, trick, codec, NODES, late=what == LATE)
            run = run_of(protocol, groups, vectors, faults)
            opened, case = run.run(), f"a {kind[2]} from {kind[0]} to {kind[1]} {what}"
            blamed = {(blame.by, blame.party) for blame in run.transcript.blames}
            expect(blamed == {faults.blamed}, f"{case}: {faults.blamed} is due, blamed are {blamed}")
            same = np.array_equal(opened.rows, expected.rows) and opened.members == expected.members
            expect(same, f"{case} changes what is opened")


def opens_what_is_left_or_nothing(protocol: Protocol) -> None:
    """When parties fall silent it opens exact sums of enough members, or aborts with nothing."""
    rng = np.random.default_rng(11)
    for groups in groupings(protocol):
        vectors, parties = vectors_of(), list(NODES)
        others = [AGGREGATOR, *session_of(protocol, groups).trustees]
        for trial in range(24):
            count = int(rng.integers(1, 4))
            # mostly nodes; the aggregator or a trustee now and then
            chosen = parties if trial % 4 else [*parties, *others]
            silent = {chosen[i]: int(rng.integers(0, 4)) for i in rng.permutation(len(chosen))[:count]}
            run, case = run_of(protocol, groups, vectors, Faults(silent=silent)), f"silent are {silent}"
            try:
                opened = run.run()
            except Abort:
                expect(run.parties[AGGREGATOR].output is None, f"{case}: an abort, and yet an output")
                continue
            expect_exact(opened, vectors, groups, case)
            for members in opened.members:
                (group,) = [group for group in groups if set(members) <= set(group)]
                fewest = protocol.survivors(len(group))
                expect(len(members) >= fewest, f"{case}: {members} were opened, at least {fewest} are due")


def opens_without_those_that_never_spoke(protocol: Protocol) -> None:
    """As many nodes as `survivors` says may be missing from the beginning, and the others are summed."""
    groups = one_group(NODES)
    missing = NODES[protocol.survivors(len(NODES)) :]
    vectors = vectors_of()
    opened = run_of(protocol, groups, vectors, Faults(silent=dict.fromkeys(missing, 0))).run()
    expect_exact(opened, vectors, groups, f"{missing} never spoke")
    expect(set(opened.members[0]) == set(NODES) - set(missing), f"{opened.members[0]} are summed")


def refuses_sessions_that_cannot_run(protocol: Protocol) -> None:
    """Sessions without nodes, with a node twice, of no length or too small a capacity are refused."""
    good = {"groups": one_group(NODES), "length": LENGTH, "capacity": CAPACITY, "session_id": SESSION_ID}
    trustees = protocol.trustee_ids(NODES)
    bad: dict[str, dict[str, Any]] = {
        "a session without groups": {"groups": ()},
        "an empty group": {"groups": (NODES, ())},
        "a node that stands in it twice": {"groups": (NODES, NODES[:3])},
        "vectors of no length": {"length": 0},
        "a capacity for fewer nodes": {"capacity": Capacity(bound=1, nodes=6)},
        "a short session id": {"session_id": bytes(15)},
        **{f"a node called {who}": {"groups": ((*NODES[1:], who),)} for who in (AGGREGATOR, *trustees, "")},
    }
    if protocol.smallest_group > 1:
        few = protocol.smallest_group - 1
        bad["a group smaller than the smallest"] = {"groups": (NODES[:few], NODES[few:])}
    for case, change in bad.items():
        with refused(case):
            protocol.session(**{**good, **change})
    for threshold in (-1, 0, len(NODES) + 1):
        with refused(f"a threshold of {threshold}", str(threshold)):
            session_of(dataclasses.replace(protocol, threshold=threshold), one_group(NODES))


def refuses_vectors_that_do_not_fit(protocol: Protocol) -> None:
    """Vectors that are missing, of another type or shape, or too large are refused by the node's name."""
    session = session_of(protocol, one_group(NODES))
    misfits: tuple[Any, ...] = (
        np.zeros(4, np.int64),
        np.zeros((3, 1), np.int64),
        np.zeros(3),
        np.array([0, CAPACITY.largest_input + 1, 0]),
        np.array([0, 0, -(1 << 63)]),
    )
    for bad in misfits:
        with refused(f"the vector {bad.dtype} {bad.tolist()}", NODES[2]):
            protocol.parties({**vectors_of(), NODES[2]: bad}, session, seeded(1))
    with refused("a missing vector", NODES[0]):
        protocol.parties(
            {node: v for node, v in vectors_of().items() if node != NODES[0]}, session, seeded(1)
        )


def binds_its_parameters(protocol: Protocol) -> None:
    """Sessions of different parameters have different digests, so that such parties cannot even talk."""
    hints = {**parameters(type(protocol)), "threshold": int}

    def variants(base: Protocol, name: str) -> list[Protocol]:
        """`base` with other values of one parameter: those that it accepts."""
        found = []
        for value in _others(hints[name], getattr(base, name)):
            with suppress(ValueError):  # such a quorum of so many holders cannot be
                other = dataclasses.replace(base, **{name: value})
                session_of(other, one_group(NODES))
                found.append(other)
        return found

    for name in hints:
        # one parameter may allow another value only beside another value of a second one
        bases = [
            protocol,
            *(other for second in hints if second != name for other in variants(protocol, second)),
        ]
        pairs = ((base, other) for base in bases for other in variants(base, name))
        base, other = next(pairs, (protocol, protocol))
        expect(base != other, f"no value of {name} but {getattr(protocol, name)!r} was accepted")
        own, changed = (session_of(each, one_group(NODES)).digest for each in (base, other))
        expect(own != changed, f"{base!r} and {other!r} make the same session")


def says_what_it_claims(protocol: Protocol) -> None:
    """It is documented, and claims what it shows, whom to trust, and where it comes from."""
    expect(inspect.getdoc(type(protocol)), "the class has no docstring")
    for each in dataclasses.fields(protocol.claims):
        expect(str(getattr(protocol.claims, each.name)).strip(), f"claims.{each.name} is empty")
    opened = run_of(protocol, one_group(NODES), vectors_of()).run()
    expect(protocol.learned(opened), "`learned` has no words for what the aggregator learned")


PROMISES: tuple[Promise[Protocol], ...] = (
    opens_exact_sums,
    sums_do_not_depend_on_keys,
    blames_what_is_out_of_order,
    opens_what_is_left_or_nothing,
    opens_without_those_that_never_spoke,
    refuses_sessions_that_cannot_run,
    refuses_vectors_that_do_not_fit,
    binds_its_parameters,
    says_what_it_claims,
)


def check_protocol(protocol: Protocol | type[Protocol]) -> tuple[str, ...]:
    """Try the contract on a protocol; the promises that it kept, in words.

    Parameters
    ----------
    protocol
        An object, with parameters that are fast; of a class its `for_tests`.

    Raises
    ------
    BrokenContract
        With a case for each promise that is broken.
    """
    return check_all(protocol.for_tests() if isinstance(protocol, type) else protocol, PROMISES)


def _others(hint: Any, value: Any) -> list[Any]:
    """Values of a parameter other than its own, likely ones first."""
    if get_origin(hint) is Literal:
        return [word for word in get_args(hint) if word != value]
    if isinstance(value, bool):
        return [not value]
    if value is None:
        return [len(NODES), 1, 0, 0.5]
    return (
        [value + step for step in (1, 2, -1, -2, 64)] if isinstance(value, int) else [value + 0.05, value / 2]
    )
