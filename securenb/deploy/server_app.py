"""What Flower runs at the coordinator: it hands the grid to the round that was asked for."""

import os
from functools import partial
from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from protocols.engines.flower import FlowerCarrier
from securenb.deploy.coordinator import Coordinator
from securenb.deploy.launch import FOLDER, ROUND

app = ServerApp()


def main(grid: Grid, context: Context) -> None:
    """Run the round."""
    coordinator = Coordinator(Path(os.environ[FOLDER]))
    coordinator.run(str(context.run_config[ROUND]), partial(FlowerCarrier, grid))


app.main()(main)
