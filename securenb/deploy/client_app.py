"""What Flower runs at a site: it hands the message to the site's folder, and the reply back."""

import os
from pathlib import Path

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from protocols.engines import flower
from securenb.deploy.launch import FOLDER
from securenb.deploy.site import Site

app = ClientApp()


def answer(message: Message, context: Context) -> Message:
    """The site's answer."""
    site = Site(Path(os.environ[FOLDER]))
    return flower.answer(message, str(context.node_config["party"]), site.identity, site.answer)


app.query(flower.KIND.partition(".")[2])(answer)
