"""Flower's own state of a run, behind our handler: which replies are handed out, and when."""

import time

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

from flwr.app import ConfigRecord, Message, RecordDict
from flwr.common.constant import ErrorCode
from flwr.proto.runtime_pb2 import PullAppMessagesRequest
from flwr.server.superlink.linkstate.in_memory_linkstate import InMemoryLinkState
from flwr.supercore.constant import NOOP_FEDERATION_ID, TaskType
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects, get_object_tree
from flwr.supercore.object_store import ObjectStoreFactory
from flwr.supercore.task_identity import TaskIdentity
from flwr.superlink.federation import NoOpFederationManager
from flwr.superlink.servicer.runtime import runtime_handlers

from securenb.deploy.whole_replies import whole_only

PARTIES = ("anna", "bert", "carl")


class Relay:
    """A run in Flower's state, with a question to each of three nodes."""

    def __init__(self, monkeypatch):
        self.state = InMemoryLinkState(NoOpFederationManager(), ObjectStoreFactory().store())
        self.run = self.state.create_run(
            None, None, "0" * 64, {}, NOOP_FEDERATION_ID, None, "", TaskType.SERVER_APP
        )
        (self.task,) = self.state.get_tasks(run_ids=[self.run])
        for name, value in (("_task_id", self.task.task_id), ("_run_id", self.run), ("_node_id", 1)):
            monkeypatch.setattr(TaskIdentity, name, value)
        self.nodes, self.asked = {}, {}
        for party in PARTIES:
            node = self.state.create_node("", "", party.encode(), 10.0)
            assert self.state.activate_node(node, 10.0)
            self.nodes[party] = node
            question = Message(RecordDict({"q": ConfigRecord({"to": party})}), node, "query", ttl=60)
            question.metadata.__dict__["_message_id"] = question.object_id
            self.asked[party] = question
            self._store(question, whole=True)

    def answer(self, party, *, whole):
        question = self.asked[party]
        reply = Message(RecordDict({"a": ConfigRecord({"from": party})}), reply_to=question)
        reply.metadata.__dict__["_src_node_id"] = self.nodes[party]
        reply.metadata.__dict__["_message_id"] = reply.object_id
        self._store(reply, whole=whole)

    def _store(self, message, *, whole):
        session = self.state.start_session(self.run)
        stored, missing = self.state.store_message_and_object_tree(message, get_object_tree(message), session)
        assert stored
        contents = get_all_nested_objects(message)
        for identifier in missing if whole else missing[:1]:
            self.state.store_object(self.run, session, identifier, contents[identifier].deflate())

    def pulled(self):
        """What is handed out: parties, and whether Flower reports an error in their reply's place."""
        of = {message.metadata.message_id: party for party, message in self.asked.items()}
        request = PullAppMessagesRequest(message_ids=list(of))
        response = whole_only(runtime_handlers.pull_messages)(request, self.state, self.task)
        return {
            of[message.metadata.reply_to_message_id]: message.error.code if message.HasField("error") else 0
            for message in response.messages_list
        }


@pytest.fixture
def relay(monkeypatch):
    return Relay(monkeypatch)


def test_a_reply_that_is_still_arriving_is_left_and_the_others_are_handed_out(relay):
    assert relay.pulled() == {}
    relay.answer("anna", whole=True)
    relay.answer("bert", whole=False)
    relay.answer("carl", whole=True)
    assert relay.pulled() == {"anna": 0, "carl": 0}


def test_half_a_reply_of_a_node_that_has_gone_is_reported_as_that(relay):
    relay.answer("bert", whole=False)
    relay.state.nodes[relay.nodes["bert"]].online_until = time.time() - 1
    assert relay.pulled() == {"bert": ErrorCode.NODE_UNAVAILABLE}
