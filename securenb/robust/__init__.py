"""From rows, some of them poisoned, to parameters."""
