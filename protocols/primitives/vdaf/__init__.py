"""Prio3: sums of secret-shared vectors that were proven valid (IETF draft-irtf-cfrg-vdaf-20)."""
