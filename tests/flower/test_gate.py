"""A stranger who can reach the coordinator's port: every path of every API of the pinned Flower."""

import asyncio

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

import httpx
from fastapi.routing import iter_route_contexts

from securenb.deploy import gate
from securenb.deploy.gate import REFUSED, SITES, Gate

STRANGER, HERE = ("192.0.2.7", 40_000), ("testserver", 40_000)
NOT_FOR_SITES = {"/v1/fleet/unregister-node"}


def asked(application, client, *requests, **options):
    """The status of each request, a method and a path, of a client at some address."""

    async def ask():
        transport = httpx.ASGITransport(app=application, client=client, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as caller:
            return [(await caller.request(*request, **options)).status_code for request in requests]

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def application():
    from flwr.superlink import main

    original = main.create_app
    gate.gate(main)
    try:
        yield main.create_app()
    finally:
        main.create_app = original


@pytest.fixture(scope="module")
def paths(application):
    """Every path with its methods."""
    assert isinstance(application, Gate)
    found = {}
    for context in iter_route_contexts(application._application.routes):
        route = context.route
        found.setdefault(getattr(context, "path", None) or route.path, set()).update(route.methods or {"GET"})
    return found


def test_a_new_path_in_a_new_flower_is_seen(paths):
    fleet = {path for path in paths if path.startswith("/v1/fleet/")}
    assert fleet == SITES | NOT_FOR_SITES
    assert {path.split("/")[2] for path in paths if path.startswith("/v1/")} == {
        "fleet",
        "control",
        "runtime",
    }
    assert len(paths) > 40


def test_a_stranger_is_refused_everything_but_what_a_site_needs(application, paths):
    requests = [(method, path) for path, methods in paths.items() for method in methods]
    for (method, path), status in zip(requests, asked(application, STRANGER, *requests), strict=True):
        assert (status == REFUSED) == (path not in SITES), (method, path, status)


@pytest.mark.parametrize(
    "path",
    ["/", "/v2/anything", "/v1/fleet", "/v1/fleet/", "/v1/fleet/../control/list-runs", "/docs",
     "//v1/control/list-runs", "/v1/fleet/pull-messages/../../control/list-runs", "/V1/FLEET/get-run",
     "/v1/fleet/get-run/", "/openapi.json", "/v1/fleet/%2e%2e/control/list-runs"],
)  # fmt: skip
def test_no_spelling_gets_a_stranger_further(application, path):
    forged = {"X-Forwarded-For": "testserver", "Forwarded": "for=testserver"}
    url = f"http://testserver{path}"
    assert asked(application, STRANGER, ("POST", url), ("GET", url), headers=forged) == [REFUSED] * 2


def test_what_a_site_may_call_is_refused_without_its_key(application):
    requests, kind = [("POST", path) for path in sorted(SITES)], {"content-type": "application/x-protobuf"}
    assert set(asked(application, STRANGER, *requests, headers=kind, content=b"")) <= {400, 401, 415, 422}


def test_this_machine_reaches_flower(application, paths):
    assert REFUSED not in asked(application, HERE, *(("POST", path) for path in paths))


def test_without_addresses_nothing_is_answered():
    async def never(scope, receive, send):
        raise AssertionError

    sent = []

    async def send(message):
        sent.append(message)

    coroutine = Gate(never)({"type": "http", "path": "/v1/control/list-runs", "client": None}, None, send)
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert sent[0]["status"] == REFUSED


def test_a_flower_without_the_place_is_an_error():
    with pytest.raises(AttributeError):
        gate.gate(gate)
