"""Before a round: what to run, from what may be known beforehand, with what it will be worth and cost."""
