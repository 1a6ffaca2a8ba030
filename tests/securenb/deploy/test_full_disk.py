"""A disk that is really full: a small file system for a site, filled up to the last pages."""

import os
import shutil
import subprocess

import pytest

from securenb.deploy.site import Site

PAGE = 4096
STOPPED = "(No space left on device)"


@pytest.fixture
def full(deployment, tmp_path):
    """Moves a site to a file system on which only some pages are left, and frees it again."""
    place, disk = deployment.place("site-1"), tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs root, who may mount a small file system")
    ballast = disk / "ballast"

    def fill(pages):
        with ballast.open("ab", buffering=0) as file:
            while (space := os.statvfs(disk)).f_bavail > pages:
                file.write(bytes(PAGE * min(space.f_bavail - pages, 16)))

    try:
        shutil.move(place, disk / "site-1")
        place.symlink_to(disk / "site-1")
        yield fill, lambda: ballast.unlink()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def drafts(deployment):
    files = deployment.place("site-1").resolve().rglob("*")
    return [path for path in files if path.name.startswith(".") or path.suffix == ".new"]


def answered(deployment, number):
    """Whether the site takes part in a new session; if not, it says why in one line."""
    session_id = bytes([number] * 16)
    plan, _ = deployment.proposal(session_id=session_id)
    digest = plan.federation(deployment.schema).session(plan.groups, session_id).digest
    opening = deployment.opening(*deployment.proposal(session_id=session_id, session_digest=digest))
    reply = deployment.ask("site-1", opening)
    assert bool(reply.frames) != bool(reply.stopped)
    assert STOPPED in reply.stopped or not reply.stopped
    return bool(reply.frames)


@pytest.mark.parametrize("pages", [0, 1, 2, 3, 5, 8])
def test_whatever_the_last_pages_are_spent_on_nothing_is_sent_unpaid_and_nothing_is_broken(
    deployment, full, pages
):
    """Three sessions are proposed while there is no room, so that what one leaves behind meets the next."""
    fill, free = full
    deployment.edit("site-1", budget='"10"')
    fill(pages)
    sent = sum(answered(deployment, number) for number in range(3))
    free()
    assert drafts(deployment) == []
    paid = len(Site(deployment.place("site-1")).ledger.payments())
    assert sent <= paid <= 3
    assert deployment.opened(deployment.round(seed=8))[0]["members"] == deployment.names
    assert len(Site(deployment.place("site-1")).ledger.payments()) == paid + 1


def test_the_sweep_goes_from_a_full_disk_to_one_with_room(deployment, full):
    fill, free = full
    answers = []
    for pages in (0, 9):
        fill(pages)
        answers.append(answered(deployment, pages))
        free()
    assert answers == [False, True]
