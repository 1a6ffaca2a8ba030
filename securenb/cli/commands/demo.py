"""`securenb demo`: the main job on data that ships with the package."""

import tempfile
from pathlib import Path

from securenb.cli import console
from securenb.cli.commands.compare import show, write
from securenb.cli.options import Out, Overwrite, write_report
from securenb.experiments.compare import compare
from securenb.experiments.progress import steps
from securenb.experiments.run_folder import run_folder
from securenb.experiments.scenario import Scenario
from securenb.report.page import PAGE, Report

PROTOCOLS = ("plain", "masking", "paillier")


def command(out: Out = None, overwrite: Overwrite = False) -> None:  # noqa: FBT002 - a flag
    """Compare a plain, a masked and an encrypted round on real data that needs no download."""
    scenario = Scenario.checked(dataset="phishing", nodes=10, protocol="plain", epsilon="1", seed=7)
    data = scenario.load()
    folder = out if out is not None else Path(tempfile.mkdtemp(prefix="securenb-demo-"))
    console.say(
        "Ten sites hold 1,125 records of phishing and genuine web pages. Each adds its share of noise to\n"
        "its statistics and sends them once. The same round, in the clear, masked, and Paillier-encrypted:\n"
    )
    with steps(len(PROTOCOLS)) as step, run_folder(folder, overwrite=overwrite) as draft:
        compared = compare(scenario, data, PROTOCOLS, progress=step)
        write(draft, scenario, data, compared)
    write_report(folder / PAGE)
    show(scenario, compared)
    console.say(f"\nwritten to {folder}: results.csv, manifest.json")
    try:
        drawn = Report.read(folder).write_charts(folder / "charts")
        console.say(f"written to {folder / 'charts'}: {', '.join(path.name for path in drawn)}")
    except ValueError as error:
        console.say(str(error))
    console.say(f"open in a browser: {folder / PAGE}")
    console.say("next: securenb compare mushroom --nodes 30 --epsilon 1 --seed 7 --out runs/mushroom")
