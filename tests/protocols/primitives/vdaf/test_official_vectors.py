"""The official test vectors of draft-irtf-cfrg-vdaf-20, good and bad, step by step."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from protocols.primitives.vdaf.circuits import (
    Count,
    HigherDegree,
    Histogram,
    MultihotCountVec,
    Sum,
    SumVec,
)
from protocols.primitives.vdaf.field import FIELD64, FIELD128
from protocols.primitives.vdaf.prio3 import Prio3
from protocols.primitives.vdaf.xof import Xof

FOLDER = os.environ.get("SECURENB_VECTORS")
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="SECURENB_VECTORS does not point to the official test vectors"
)
FILES = sorted((Path(FOLDER) / "vdaf").glob("Prio3*.json")) if FOLDER else []
PRIVATE_ALGORITHM = 0xFFFFFFFF


def instance(path, case):
    kind = path.stem.removeprefix("Prio3").split("_")[0]
    get = case.get
    algorithm, circuit, proofs = {
        "Count": lambda: (1, Count(), 1),
        "Sum": lambda: (2, Sum(get("max_measurement")), 1),
        "SumVec": lambda: (3, SumVec(get("length"), get("max_measurement"), get("chunk_length")), 1),
        "Histogram": lambda: (4, Histogram(get("length"), get("chunk_length")), 1),
        "MultihotCountVec": lambda: (
            5,
            MultihotCountVec(get("length"), get("max_weight"), get("chunk_length")),
            1,
        ),
        "SumVecWithMultiproof": lambda: (
            PRIVATE_ALGORITHM,
            SumVec(get("length"), get("max_measurement"), get("chunk_length"), FIELD64),
            3,
        ),
        "HigherDegree": lambda: (PRIVATE_ALGORITHM, HigherDegree(), 1),
    }[kind]()
    return Prio3(algorithm, circuit, case["shares"], proofs, bytes.fromhex(case["ctx"]))


class Replay:
    """Carries out the operations of a file and compares whatever a file knows."""

    def __init__(self, path, case):
        self.case = case
        self.prio3 = instance(path, case)
        self.states = {}
        self.verifiers = {}
        self.out_shares = {}

    def perform(self, step):
        return getattr(self, step["operation"])(
            *(step[key] for key in ("report_index", "aggregator_id") if key in step)
        )

    def report(self, index):
        report = self.case["reports"][index]
        return {key: self.raw(value) for key, value in report.items() if key != "measurement"}

    def raw(self, value):
        return bytes.fromhex(value) if isinstance(value, str) else [self.raw(item) for item in value]

    def shard(self, index):
        report = self.report(index)
        encoded = self.prio3.circuit.encode(self.case["reports"][index]["measurement"])
        public, shares = self.prio3.shard(encoded, report["nonce"], report["rand"])
        assert public == report["public_share"]
        assert shares == report["input_shares"]

    def verify_init(self, index, aggregator):
        report = self.report(index)
        state, share = self.prio3.verify_init(
            bytes.fromhex(self.case["verify_key"]),
            aggregator,
            report["nonce"],
            report["public_share"],
            report["input_shares"][aggregator],
        )
        if report["verifier_shares"]:
            assert share == report["verifier_shares"][0][aggregator]
        self.states[index, aggregator] = state

    def verifier_shares_to_message(self, index):
        report = self.report(index)
        message = self.prio3.verifier_shares_to_message(report["verifier_shares"][0])
        assert message == report["verifier_messages"][0]

    def verify_next(self, index, aggregator):
        report = self.report(index)
        out = self.prio3.verify_next(self.states[index, aggregator], report["verifier_messages"][0])
        expected = report["out_shares"][aggregator]
        assert self.prio3.circuit.field.encode(out) == b"".join(np.atleast_1d(expected).tolist())
        self.out_shares[index, aggregator] = out

    def aggregate(self, aggregator):
        field = self.prio3.circuit.field
        total = field.zeros(self.prio3.circuit.outputs)
        for (_, at), share in self.out_shares.items():
            if at == aggregator:
                total = field.add(total, share)
        assert field.encode(total).hex() == self.case["agg_shares"][aggregator]
        self.states[aggregator] = total

    def unshard(self):
        field = self.prio3.circuit.field
        total = field.zeros(self.prio3.circuit.outputs)
        for aggregator in range(self.case["shares"]):
            total = field.add(total, self.states[aggregator])
        assert field.integers(total) == np.atleast_1d(self.case["agg_result"]).tolist()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_operation_ends_as_the_draft_says(path):
    case = json.loads(path.read_text())
    replay = Replay(path, case)
    assert case["operations"]
    for step in case["operations"]:
        if step["success"]:
            replay.perform(step)
        else:
            with pytest.raises(ValueError, match=r"proof does not hold|joint randomness"):
                replay.perform(step)


def test_bad_reports_are_among_the_vectors():
    assert sum("_bad_" in path.name for path in FILES) >= 8


def test_the_xof_expands_as_the_draft_says():
    case = json.loads((Path(FOLDER) / "vdaf" / "XofTurboShake128.json").read_text())
    seed, tag, binder = (bytes.fromhex(case[key]) for key in ("seed", "dst", "binder"))
    assert Xof(seed, tag, binder).read(32).hex() == case["derived_seed"]
    elements = Xof(seed, tag, binder).elements(FIELD128, case["length"])
    assert FIELD128.encode(elements).hex() == case["expanded_vec_field128"]
