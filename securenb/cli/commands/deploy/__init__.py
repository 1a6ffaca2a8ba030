"""Rounds over many machines, on Flower (`pip install "securenb[flower]"`)."""
