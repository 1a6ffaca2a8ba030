"""Finding the files of a UCI data set, in every form in which they come."""

import hashlib
import io
import os
import zipfile
from pathlib import Path

import pandas as pd
import platformdirs
import pytest

import securenb.data.uci
from securenb.data.dataset import DATASETS, DatasetUnavailable, load_dataset, table_digest
from securenb.data.uci import UciSource

UCI = [name for name in DATASETS if issubclass(DATASETS[name], UciSource)]

HERE = Path(os.environ.get("SECURENB_DATA", "nowhere"))


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty user cache, and no `SECURENB_DATA`."""
    monkeypatch.delenv("SECURENB_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "securenb" / "datasets"


def present(name: str) -> list[bytes]:
    """The files of a data set as `SECURENB_DATA` has them."""
    source = DATASETS[name]()
    paths = [HERE / source.folder / file.names[0] for file in source.files]
    if not all(path.is_file() for path in paths):
        pytest.skip(f"no {paths[0]}; set SECURENB_DATA")
    return [path.read_bytes() for path in paths]


def as_uci_has_it(name: str, contents: list[bytes]) -> dict[str, bytes]:
    """The files rewritten in UCI's own form and under UCI's own names."""
    texts = [content.decode("utf-8-sig") for content in contents]
    match name:
        case "adult":
            train = texts[0].replace(",", ", ")
            rows = [row.replace(",", ", ").replace("50k", "50K") for row in texts[1].split()]
            test = "|1x3 Cross validator\n" + "".join(f"{row}.\n" for row in rows) + "\n"
            return {"adult.data": train.encode(), "adult.test": test.encode(), "adult.names": b"|names"}
        case "skin":
            return {"Skin_NonSkin.txt": texts[0].replace(",", "\t").replace("\n", "\r\n").encode()}
        case "accelerometer":
            return {"accelerometer (1).csv": texts[0].replace("\n", "\r\n").encode()}
        case "spect":
            return {"SPECT.test": contents[1], "SPECT.train": contents[0], "SPECTF.train": b"1,2\n"}
        case _:
            return {DATASETS[name].files[0].names[-1]: contents[0], "Index": b"x\n"}


# What several independent projects publish as the SHA-256 of UCI's files.
UCI_SHA256 = {
    "adult": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "mushroom": "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
    "skin": "e30c0a845385dcc95a45c45ed263465674a49638e98ef740afd520769c7714a4",
    "votes": "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e",
}


@pytest.mark.parametrize("name", UCI_SHA256)
def test_the_rebuilt_files_are_ucis_own_to_the_byte(name):
    first = next(iter(as_uci_has_it(name, present(name)).values()))
    assert hashlib.sha256(first).hexdigest() == UCI_SHA256[name]


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return packed.getvalue()


def serve(monkeypatch, content: bytes) -> list[str]:
    """UCI answers with `content`; what it was asked for."""
    asked = []

    def fetch(url, target):
        asked.append(url)
        target.write_bytes(content)

    monkeypatch.setattr(securenb.data.uci, "fetch", fetch)
    return asked


@pytest.mark.parametrize("name", UCI)
def test_a_download_is_the_same_table_and_is_kept(name, cache, monkeypatch):
    contents = present(name)
    source = DATASETS[name]()
    expected = table_digest(source.schema, [source.parse(content) for content in contents])
    asked = serve(monkeypatch, zipped(as_uci_has_it(name, contents)))
    assert table_digest(source.schema, source.read()) == expected
    assert table_digest(source.schema, source.read()) == expected
    assert asked == [source.url]
    assert [path.name for path in cache.iterdir()] == [source.archive]


@pytest.mark.parametrize("layout", ["folder", "flat", "archive"])
def test_the_files_are_found_wherever_they_lie(layout, cache, tmp_path, monkeypatch):
    contents = present("votes")
    expected = load_from(HERE, "votes", monkeypatch).digest
    root = tmp_path / "data"
    folder = root / "Congressional_Voting_Records" if layout == "folder" else root
    folder.mkdir(parents=True)
    if layout == "archive":
        archive = folder / "congressional+voting+records.zip"
        archive.write_bytes(zipped(as_uci_has_it("votes", contents)))
    else:
        (folder / "house-votes-84.data").write_bytes(contents[0])
    assert load_from(root, "votes", monkeypatch).digest == expected
    assert not cache.exists()


def load_from(root: Path, name: str, monkeypatch):
    monkeypatch.setenv("SECURENB_DATA", str(root))
    return load_dataset(name)


def test_what_the_chosen_folder_lacks_is_looked_for_in_the_cache(cache, tmp_path, monkeypatch):
    cache.mkdir(parents=True)
    archive = cache / "congressional+voting+records.zip"
    archive.write_bytes(zipped(as_uci_has_it("votes", present("votes"))))
    assert len(load_from(tmp_path, "votes", monkeypatch).train) == 391


@pytest.mark.parametrize("name", UCI)
def test_without_files_and_network_one_line_says_what_to_do(name, cache):
    source = DATASETS[name]()
    with pytest.raises(DatasetUnavailable) as raised:
        load_dataset(name)
    message = str(raised.value)
    assert "\n" not in message
    for part in (source.title, "SECURENB_DATA", str(cache), source.url, source.archive):
        assert part in message
    for file in source.files:
        assert f"{source.folder}/{file.names[0]}" in message
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>502 Bad Gateway</html>",
        zipped({"agaricus-lepiota.names": b"names"}),
        zipped({"agaricus-lepiota.data": b""}),
        zipped({"agaricus-lepiota.data": b"e,x\n" * 8124}),
        zipped({"agaricus-lepiota.data": b"\xff\xfe"}),
        zipped({"agaricus-lepiota.data": b"p,x,s,n,t,p,f,c,n,k,e,e,s,s,w,w,p,w,o,p,k,s,u\n" * 8124}),
    ],
)
def test_a_download_of_something_else_is_refused_and_not_kept(content, cache, monkeypatch):
    serve(monkeypatch, content)
    with pytest.raises(DatasetUnavailable, match="cannot be downloaded"):
        load_dataset("mushroom")
    assert list(cache.iterdir()) == []


def test_a_download_that_breaks_off_leaves_nothing(cache, monkeypatch):
    def fetch(url, target):
        target.write_bytes(b"PK")
        raise ConnectionError("reset")

    monkeypatch.setattr(securenb.data.uci, "fetch", fetch)
    with pytest.raises(DatasetUnavailable, match="ConnectionError"):
        load_dataset("mushroom")
    assert list(cache.iterdir()) == []


def test_a_changed_local_file_is_refused_and_named(cache, tmp_path, monkeypatch):
    changed = present("votes")[0].replace(b"republican", b"democrat", 1)
    (tmp_path / "house-votes-84.data").write_bytes(changed)
    with pytest.raises(ValueError, match="differs from what was published") as raised:
        load_from(tmp_path, "votes", monkeypatch)
    assert str(tmp_path) in str(raised.value)
    assert not isinstance(raised.value, DatasetUnavailable)


def test_a_damaged_local_archive_is_refused_and_named(cache, tmp_path, monkeypatch):
    (tmp_path / "mushroom.zip").write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match=r"mushroom\.zip is damaged"):
        load_from(tmp_path, "mushroom", monkeypatch)


def test_an_archive_that_rotted_is_refused_or_still_holds_the_same_table(cache, tmp_path, monkeypatch):
    packed = zipped(as_uci_has_it("votes", present("votes")))
    expected = load_from(HERE, "votes", monkeypatch).digest
    archive = tmp_path / "congressional+voting+records.zip"
    refused = 0
    for at in range(60, len(packed), 97):
        archive.write_bytes(packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :])
        try:
            assert load_from(tmp_path, "votes", monkeypatch).digest == expected
        except ValueError:
            refused += 1
    assert refused > 15


def test_both_copies_of_adults_test_file_load_and_can_be_told_apart():
    source = DATASETS["adult"]()
    train, test = [source.parse(content) for content in present("adult")]
    assert not (test["age"] == 44).any()
    restored = test.copy()
    restored.loc[test["age"] == 50, "age"] = 44.0
    source.check([train, test])
    source.check([train, restored])
    assert table_digest(source.schema, [train, test]) != table_digest(source.schema, [train, restored])
    restored.loc[restored["age"] == 44, "age"] = 45.0
    with pytest.raises(ValueError, match="differs"):
        source.check([train, restored])


def test_the_progress_bar_can_be_moved_as_pooch_moves_it(tmp_path, monkeypatch):
    class Downloader:
        def __init__(self, progressbar):
            self.bar = progressbar

        def __call__(self, url, target, pooch):
            Path(target).write_bytes(b"12345678")
            self.bar.total = 8
            self.bar.update(5)
            self.bar.reset()
            self.bar.update(8)
            self.bar.close()

    monkeypatch.setattr("pooch.HTTPDownloader", Downloader)
    securenb.data.uci.fetch("https://example.org/x.zip", tmp_path / "x.zip")
    assert (tmp_path / "x.zip").read_bytes() == b"12345678"


def test_parsing_strips_spaces_comments_headers_and_marks():
    source = DATASETS["accelerometer"]()
    table = source.parse(b"\xef\xbb\xbfwconfid, pctid,x,y,z\r\n|comment\r\n\r\n 1,20\t 1.0,0.09,-0.1250\r\n")
    expected = pd.DataFrame({"wconfid": ["1"], "pctid": ["20"], "x": [1.0], "y": [0.09], "z": [-0.125]})
    assert table.to_dict("list") == expected.to_dict("list")
