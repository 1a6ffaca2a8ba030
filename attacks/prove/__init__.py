"""The search for what a malicious server can get: a transcript that replays, or infeasible, or undecided."""
