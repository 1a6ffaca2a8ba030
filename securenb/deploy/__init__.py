"""A federation over many machines: folders, keys, sites that check before they send, a coordinator."""
