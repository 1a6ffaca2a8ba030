import io
import zipfile

import pytest

from securenb.deploy.guard import check_app, guarded
from securenb.deploy.launch import CLIENT_APP, app_file


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


OURS = {"pyproject.toml": app_file(), ".info/CONTENT": "hashes"}


def test_our_app_is_unpacked():
    assert guarded(lambda bundle, skip_prompt: ("unpacked", skip_prompt))(packed(OURS), skip_prompt=True) == (
        "unpacked",
        True,
    )


@pytest.mark.parametrize(
    "files",
    [
        OURS | {"spy.py": "print('hello')"},
        OURS | {"securenb/deploy/client_app.py": "app = None"},
        OURS | {"pyproject.toml": app_file().replace(CLIENT_APP, "spy:app")},
        OURS | {"pyproject.toml": app_file().replace("clientapp", "agentapp")},
    ],
)
def test_any_other_app_is_refused_before_it_is_unpacked(files):
    def unpack(bundle):
        raise AssertionError("it was unpacked")

    with pytest.raises(ValueError, match="not run"):
        guarded(unpack)(packed(files))


def test_what_is_no_app_is_refused():
    with pytest.raises(KeyError):
        check_app(packed({".info/CONTENT": ""}))
    with pytest.raises(zipfile.BadZipFile):
        check_app(b"no archive")
