"""The search for what a lying server can get: a transcript that replays, or infeasible, or undecided."""
