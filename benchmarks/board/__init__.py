"""The scoreboard: `securenb judge` on other people's packages, each in an environment of its own."""
