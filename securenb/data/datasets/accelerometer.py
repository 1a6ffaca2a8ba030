"""Accelerometer: how are a fan's blades weighted? 153 000 readings of three axes.

Source: Gustavo Scalabrini Sampaio et al. (2019), UCI data set 846, described in "Prediction of Motor Failure
Time Using An Artificial Neural Network", Sensors 19(19), 4342. Not split by UCI. The label is `wconfid`, the
configuration of the weights; the speed of the fan, `pctid`, is not used.

Bounds -8 to 8 g: the widest range of the sensor, an MMA8452Q (NXP data sheet). Grid: a sixteenth of a g,
16 times as coarse as the sensor; at the default of 64 steps, a quarter of a g, the vibrations of a
balanced fan would vanish. Edges: at rest one axis reads 1 g and the others 0, so bins are narrow there and
widen outwards.
"""

from securenb.data.uci import TableFile, UciSource
from securenb.schema.features import Numeric
from securenb.schema.schema import Schema

_EDGES = (-8, -4, -2, -1, -0.5, -0.2, -0.1, 0, 0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 4, 8)


class Accelerometer(UciSource):
    """UCI Accelerometer."""

    title = "Accelerometer"
    origin = "https://archive.ics.uci.edu/dataset/846/accelerometer"
    folder = "Accelerometer"
    files = (TableFile(("accelerometer.data", "accelerometer*.csv")),)
    columns = ("wconfid", "pctid", "x", "y", "z")
    schema = Schema(
        classes=("1", "2", "3"),
        features=tuple(Numeric(axis, -8, 8, steps=256, edges=_EDGES) for axis in "xyz"),
        label="wconfid",
    )
    rows = (153_000,)
    digest = "7488b502bf1d935a66ad157cd3dcc3dbc4291366727f914994ad5ac06382e95a"
