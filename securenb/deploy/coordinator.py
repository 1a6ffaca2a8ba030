"""The coordinator: proposes a plan, runs the aggregator's party over Flower, keeps what came of it."""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from protocols.engines.post import Post
from protocols.engines.relay import Carrier, RelayedRun, Unanswered
from protocols.errors import Abort
from protocols.party import AGGREGATOR, PartyId
from protocols.primitives.identity import Identity, Roster
from protocols.schemes._double_masking.protocol import DoubleMasking
from securenb.data.reader import read_records
from securenb.deploy.keys import read_identity, read_roster, read_seed
from securenb.deploy.limits import check_relayed
from securenb.deploy.log import Log
from securenb.deploy.plan import Opening, Plan, propose
from securenb.deploy.round_choices import RoundChoices
from securenb.deploy.site import Question
from securenb.deploy.turn import RUNNING, held, is_held
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.tables import write_table
from securenb.federation.federation import Federation
from securenb.federation.round import Round
from securenb.report.receipt import RECEIPT, receipt_of, signed
from securenb.report.record import round_figures, write_rounds
from securenb.robust.spec import choose_rule
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.toml import read_schema

ROUNDS = "rounds"
SCENARIO, PROGRESS, RESULT = "scenario.json", "progress.jsonl", "result"
_ROUND = re.compile(r"\d{4}")


class Settings(BaseModel):
    """`deployment.toml`: who belongs to the deployment, and how long to wait.

    Attributes
    ----------
    address
        ``host:port`` at which sites reach the coordinator.
    listen
        The address of this machine on which it listens.
    sites
        Names of the nodes.
    trustees
        Names of other parties, such as key holders.
    wait_seconds
        How long a round waits for parties to be there.
    stage_seconds
        How long a stage waits for the slowest party, which is then taken for dropped out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    address: str
    listen: str
    sites: tuple[str, ...]
    trustees: tuple[str, ...] = ()
    wait_seconds: float = Field(default=120.0, gt=0)
    stage_seconds: float = Field(default=120.0, gt=0)

    @property
    def port(self) -> int:
        """The address's port."""
        return int(self.address.rpartition(":")[2])

    @property
    def here(self) -> str:
        """``host:port`` at which this machine itself reaches it."""
        everywhere = self.listen in ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
        return f"{'127.0.0.1' if everywhere else self.listen}:{self.port}"


class _Wrapped(Carrier):
    """Puts every step into its session, and the plan before the first."""

    def __init__(self, carrier: Carrier, plan: Plan, identity: Identity) -> None:
        self._carrier = carrier
        self._session_id = plan.session_id
        self._opening = Opening.of(plan, identity)

    def exchange(
        self, stage: str, questions: Mapping[PartyId, bytes], longer: Mapping[PartyId, float]
    ) -> Mapping[PartyId, bytes | Unanswered]:
        opening = self._opening if stage == "start" else None
        wrapped = {
            party: msgspec.msgpack.encode(Question(self._session_id, step, opening))
            for party, step in questions.items()
        }
        return self._carrier.exchange(stage, wrapped, longer)


@dataclass(frozen=True)
class Coordinator:
    """The coordinator's folder."""

    folder: Path

    @cached_property
    def settings(self) -> Settings:
        """Its configuration; a one-line `ValueError` that names file and field if it is none."""
        path = self.folder / "deployment.toml"
        try:
            return Settings(**tomllib.loads(path.read_text(encoding="utf-8")))
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{path}, {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}; made by `securenb deploy init`") from None

    @cached_property
    def schema(self) -> Schema:
        """What the statistics are about."""
        return read_schema(self.folder / "schema.toml")

    @cached_property
    def roster(self) -> Roster:
        """All parties' public keys."""
        return read_roster(self.folder / "roster.toml")

    def rounds(self) -> list[Path]:
        """The folders of all rounds, oldest first."""
        return sorted(path for path in (self.folder / ROUNDS).glob("*") if _ROUND.fullmatch(path.name))

    def order(self, choices: Mapping[str, Any]) -> Path:
        """The folder of a new round, with its scenario in it.

        Raises
        ------
        ValueError
            If the choices make no scenario, or none for this deployment, or a round is running.
        """
        scenario = self.scenario(choices)
        self.propose(scenario)
        done = self.rounds()
        if done and is_held(done[-1] / RUNNING):
            raise ValueError(f"round {done[-1].name} is running: a second one would take its parties away")
        folder = self.folder / ROUNDS / f"{int(done[-1].name) + 1 if done else 1:04d}"
        folder.mkdir(parents=True)
        (folder / SCENARIO).write_text(json.dumps(dict(choices)) + "\n", encoding="utf-8")
        return folder

    def scenario(self, choices: Mapping[str, Any]) -> RoundChoices:
        """The choices of a round, checked."""
        if given := {"dataset", "nodes", "schema_file", "node_column"} & choices.keys():
            raise ValueError(f"the records are at the sites: leave out {', '.join(sorted(given))}")
        return RoundChoices.checked(**choices)

    def propose(self, scenario: RoundChoices) -> tuple[Plan, Federation]:
        """The plan of a scenario, for all sites."""
        check_relayed(scenario.protocol)
        rule = choose_rule(scenario.rule)
        if getattr(rule, "reference", ()) is None:
            raise ValueError(f"rule {scenario.rule} needs public records, and a deployment has none")
        federation = scenario.federation_over(self.schema, nodes=len(self.settings.sites))
        plan, session = propose(scenario, federation, federation.grouped(self.settings.sites))
        if absent := set(session.trustees) - set(self.roster):
            raise ValueError(
                f"protocol {scenario.protocol} needs {', '.join(sorted(absent))}, who is not in the roster: "
                f"name it in `securenb deploy init --protocols {scenario.protocol}`"
            )
        return plan, federation

    def run(self, name: str, reach: Callable[[bytes, float], Carrier]) -> None:
        """Run the round called `name`, once; everything that happens stands in its progress.

        Parameters
        ----------
        reach
            What carries questions of a session, given its id and the seconds that a stage may take.
        """
        folder = self.folder / ROUNDS / name
        if not _ROUND.fullmatch(name) or not (folder / SCENARIO).is_file() or (folder / PROGRESS).exists():
            raise ValueError(f"there is no round {name!r} that waits to be run")
        with held(folder / RUNNING):
            self._run(folder, reach)

    def _run(self, folder: Path, reach: Callable[[bytes, float], Carrier]) -> None:
        log = Log(folder / PROGRESS)
        try:
            scenario = self.scenario(json.loads((folder / SCENARIO).read_text(encoding="utf-8")))
            plan, federation = self.propose(scenario)
            log.write("planned", session=plan.session_id.hex(), protocol=plan.protocol)
            carrier = reach(plan.session_id, self.settings.stage_seconds)
            session = plan.session(federation)
            parties = [*session.trustees, *session.nodes]
            wait = self.settings.wait_seconds
            present = carrier.meet(parties, self.roster, wait, lambda party: log.write("joined", party=party))
            for party in parties:
                if party not in present:
                    log.write("absent", party=party)
            round_ = self._round(plan, federation, carrier, present, log)
            self._keep(folder / RESULT, scenario, plan, federation, round_)
            log.write("opened", rows=len(round_.opened.members), nodes=sum(map(len, round_.opened.members)))
        except (Abort, ValueError, OSError) as error:
            log.write("aborted", why=str(error))
        except Exception as error:
            log.write("aborted", why=f"failed with {type(error).__name__}: {error}")
            raise

    def _round(
        self, plan: Plan, federation: Federation, carrier: Carrier, present: list[PartyId], log: Log
    ) -> Round:
        identity = read_identity(self.folder / "identity.key")
        session = plan.session(federation)
        protocol = federation.protocol
        post = Post(AGGREGATOR, identity, self.roster, session, protocol.codec(session))
        entropy = federation.streams.entropy_for(AGGREGATOR)
        if isinstance(protocol, DoubleMasking):
            party = protocol.aggregator(session, entropy, self.roster)
        else:
            party = protocol.aggregator(session, entropy)
        run = RelayedRun(
            party,
            post,
            session,
            _Wrapped(carrier, plan, identity),
            watch=lambda stage: log.write("stage", **asdict(stage)),
            makes_keys=protocol.makes_keys,
        )
        try:
            opened = run.run(present)
        finally:
            for stop in run.transcript.stops:
                log.write("left", party=stop.party, why=stop.reason)
            for blame in run.transcript.blames:
                log.write("blamed", party=blame.whom, by=blame.by, why=blame.reason)
        return federation.concluded(opened, session.groups, run.transcript)

    def _keep(
        self, out: Path, scenario: RoundChoices, plan: Plan, federation: Federation, round_: Round
    ) -> None:
        with run_folder(out) as folder:
            figures = round_figures(round_, self._test(scenario))
            write_table(pd.DataFrame([figures]), folder / "results.csv")
            model = json.dumps(round_.model.to_dict())
            (folder / "model.json").write_text(model + "\n", encoding="utf-8")
            opened = round_.opened
            rows = [
                {"members": list(members), "sums": row.tolist()}
                for members, row in zip(opened.members, opened.rows, strict=True)
            ]
            (folder / "opened.json").write_text(json.dumps(rows) + "\n", encoding="utf-8")
            write_rounds(folder, {scenario.protocol: (round_, federation.protocol)})
            # not this process's own command, which is Flower's and has a token in it
            write_manifest(
                folder,
                scenario,
                digests=round_.digests(),
                schema=self.schema.digest.hex(),
                session=plan.session_id.hex(),
                plan=hashlib.sha256(msgspec.msgpack.encode(plan)).hexdigest(),
                command=["securenb", "deploy", "run"],
            )
            seed = read_seed(self.folder / "identity.key")
            (folder / RECEIPT).write_bytes(signed(receipt_of(folder), AGGREGATOR, seed))

    def _test(self, scenario: RoundChoices) -> Records | None:
        if scenario.test_file is None:
            return None
        return read_records(Path(scenario.test_file), self.schema)[0]
