import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from protocols.errors import Abort
from protocols.releases import Releases
from protocols.ring import Capacity
from protocols.schemes.plain import Plain


def session_of(session_id=bytes(16), threshold=None, groups=(("a", "b"),)):
    return Plain(threshold=threshold).session(groups, 1, Capacity(9, 2), session_id)


@pytest.fixture(params=["in memory", "in a folder"])
def releases(request, tmp_path):
    return Releases(tmp_path if request.param == "in a folder" else None)


def test_a_session_is_released_once(releases):
    releases.claim("a", session_of())
    with pytest.raises(Abort, match=f"a has released its part of session {'00' * 16} before"):
        releases.claim("a", session_of())


def test_another_threshold_or_grouping_is_no_other_session(releases):
    releases.claim("a", session_of())
    for other in (session_of(threshold=1), session_of(groups=(("a",), ("b",)))):
        with pytest.raises(Abort):
            releases.claim("a", other)


def test_others_and_other_sessions_are_free(releases):
    releases.claim("a", session_of())
    releases.claim("b", session_of())
    releases.claim("a", session_of(bytes([1] * 16)))


def test_a_folder_remembers_across_restarts(tmp_path):
    Releases(tmp_path).claim("a", session_of())
    with pytest.raises(Abort):
        Releases(tmp_path).claim("a", session_of())


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        Releases(tmp_path / "absent")


@pytest.mark.parametrize("again", [False, True], ids=["gone", "made anew"])
def test_a_folder_that_went_away_ends_in_an_abort_and_claims_nothing(tmp_path, again):
    folder = tmp_path / "kept"
    folder.mkdir()
    releases = Releases(folder)
    releases.claim("a", session_of())
    shutil.move(folder, tmp_path / "elsewhere")
    if again:
        folder.mkdir()
    with pytest.raises(Abort, match="the folder kept, .* put it back"):
        releases.claim("a", session_of(bytes([1] * 16)))
    if again:
        folder.rmdir()
    shutil.move(tmp_path / "elsewhere", folder)
    releases.claim("a", session_of(bytes([1] * 16)))


def claims(folder):
    try:
        Releases(folder).claim("a", session_of())
    except Abort:
        return 0
    return 1


def test_of_many_who_claim_at_once_one_wins(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(claims, [tmp_path] * 40)) == 1
