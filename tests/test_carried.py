"""What stands beside the code for those who carry it on: versions, citation, licences."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_citation_has_the_packages_version_and_licence():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {PROJECT['version']}\n" in citation
    assert f"\nlicense: {PROJECT['license']}\n" in citation


def test_every_dependency_has_a_reason_and_a_licence():
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"
    ]
    explained = {name for row in rows for name in row[0].split(", ") if len(row) == 3 and all(row)}
    needed = {re.split(r"[><=;\[ ]", each)[0].lower() for each in PROJECT["dependencies"]}
    assert needed <= explained
    assert "GPL-3.0" in next(row for row in rows if row[0] == "phe")


def test_the_workflow_and_the_container_use_what_there_is():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert "- run: .ci/run\n" in workflow
    assert (ROOT / ".ci" / "run").exists()
    copied = re.findall(r"^COPY (.+)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    for line in copied:
        for name in line.split()[:-1]:
            assert (ROOT / name).exists(), name
