"""A coordinator and four sites on hosts of their own: network namespaces, with a delayed and a cut link."""

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")
if os.geteuid() != 0 or shutil.which("ip") is None:
    pytest.skip("needs root and iproute2, to make network namespaces", allow_module_level=True)

DELAY_SECONDS = 0.15
PORT = 8443
# not every kernel has the queueing discipline that delays packets, so a relay at the site does
DELAYED = f"""
import asyncio

async def pump(reader, writer):
    while data := await reader.read(1 << 16):
        await asyncio.sleep({DELAY_SECONDS})
        writer.write(data)
        await writer.drain()
    writer.close()

async def serve(reader, writer):
    there, back = await asyncio.open_connection("10.77.0.1", {PORT})
    await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)

async def main():
    async with await asyncio.start_server(serve, "127.0.0.1", {PORT}) as server:
        await server.serve_forever()

asyncio.run(main())
"""


def ip(*arguments):
    done = subprocess.run(["ip", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this machine makes no network of namespaces: {done.stderr.strip()}")


def cable(name):
    """The end of a site's cable that is at the coordinator."""
    return name.replace("site-", "to-")


@pytest.fixture(scope="module")
def hosts():
    """A namespace for each party, cabled to a switch at the coordinator."""
    mark = f"snb{os.getpid()}"
    names = {name: f"{mark}-{name}" for name in ("coordinator", "site-1", "site-2", "site-3", "site-4")}
    try:
        for space in names.values():
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
        centre = names.pop("coordinator")
        ip("-n", centre, "link", "add", "switch", "type", "bridge")
        ip("-n", centre, "address", "add", "10.77.0.1/24", "dev", "switch")
        ip("-n", centre, "link", "set", "switch", "up")
        for number, (name, space) in enumerate(names.items(), start=11):
            ip(
                "-n",
                centre,
                "link",
                "add",
                cable(name),
                "type",
                "veth",
                "peer",
                "name",
                "up0",
                "netns",
                space,
            )
            ip("-n", centre, "link", "set", cable(name), "master", "switch", "up")
            ip("-n", space, "address", "add", f"10.77.0.{number}/24", "dev", "up0")
            ip("-n", space, "link", "set", "up0", "up")
        yield {"coordinator": centre, **names}
    finally:
        for space in (f"{mark}-coordinator", *names.values()):
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)


@pytest.fixture(scope="module")
def deployment(hosts, deploy):
    deployment = deploy(sites=4, protocols="plain,secagg", address=f"10.77.0.1:{PORT}", hosts=hosts)
    deployment.run("up", deployment.folder)
    relay = subprocess.Popen(["ip", "netns", "exec", hosts["site-1"], sys.executable, "-c", DELAYED])
    try:
        deployment.join("site-2", "site-3", "site-4")
        deployment.join("site-1", coordinator=f"127.0.0.1:{PORT}")
        yield deployment
    finally:
        deployment.down()
        relay.kill()
        relay.wait()


def test_a_delayed_link_changes_nothing_and_a_cut_one_leaves_the_exact_sum_of_the_others(
    deployment, hosts, until
):
    choices = {"protocol": "secagg", "epsilon": "1", "seed": 1}
    round_, done = deployment.round(**choices)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.exact_sum(round_, **choices) == deployment.names

    deployment.wait_for_stages(max(8, 3 * deployment.slowest_stage("secagg")))
    choices["seed"] = 2
    process = deployment.start(**choices)
    assert until(lambda: len(deployment.rounds()) == 2)
    assert until(lambda: len(deployment.events(deployment.rounds()[-1], "stage")) == 2)
    ip("-n", hosts["coordinator"], "link", "set", cable("site-4"), "down")
    output, _ = process.communicate(timeout=300)
    cut = deployment.rounds()[-1]
    assert process.returncode == 0, output
    assert set(deployment.names) - set(deployment.exact_sum(cut, **choices)) <= {"site-4"}
    (left,) = deployment.events(cut, "left")
    assert left["party"] == "site-4"
    assert left["why"] in deployment.GONE

    # mended, the same process is back in the next round
    ip("-n", hosts["coordinator"], "link", "set", cable("site-4"), "up")
    choices = {"protocol": "plain", "epsilon": "1", "seed": 3}
    round_, done = deployment.round(**choices)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.exact_sum(round_, **choices) == deployment.names
