"""Double masking with drop-out recovery: the parties that `secagg` and `secagg_plus` share.

A node hides its vector under a mask of its own and one mask for each neighbour. Pairwise masks cancel
between survivors; shares held by neighbours rebuild the self-masks of survivors and the pairwise masks
of those who fell silent, never both of one node.
"""
