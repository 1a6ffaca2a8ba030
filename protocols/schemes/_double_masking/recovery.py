"""Rebuilding secrets from shares, and what they take out of a group's masked sum."""

from collections.abc import Callable, Iterable, Mapping

from protocols.primitives.key_agreement import key_pair
from protocols.primitives.mask import add_mask, subtract_mask
from protocols.primitives.shamir import combine, correct
from protocols.ring import Residues
from protocols.schemes._double_masking.terms import Statement, Terms, pairwise_mask


def rebuild(
    shares: Mapping[int, bytes], threshold: int, committed: Callable[[bytes], bool]
) -> tuple[bytes, tuple[int, ...]]:
    """The secret behind the shares (places to shares), and the places of wrong ones if they mattered.

    Parameters
    ----------
    committed
        Whether a secret is the one that its owner committed to (rule 15).

    Raises
    ------
    ValueError
        If there are too few shares, or too many wrong ones to find the secret.
    """
    secret = combine(shares, threshold)
    if committed(secret):
        return secret, ()
    secret, wrong = correct(shares, threshold)
    if not committed(secret):
        raise ValueError("the shares give another secret than was committed to")
    return secret, wrong


def remove_pairwise_masks(
    row: Residues,
    position: int,
    secret: bytes,
    statements: Mapping[int, Statement],
    neighbours: Iterable[tuple[int, bytes]],
) -> None:
    """Take the masks that survivors share with one silent node out of their sum, in place.

    Parameters
    ----------
    position, secret
        Where the silent node stands in the group, and its rebuilt mask key.
    statements
        What each node advertised, by position.
    neighbours
        The surviving neighbours: position and public mask key.
    """
    gone = key_pair(secret)
    for other, public in neighbours:
        first, second = sorted((position, other))
        key = pairwise_mask(gone, public, statements[first], statements[second])
        # a survivor that stands first added the mask
        (subtract_mask if other < position else add_mask)(row, key)


def remove_self_mask(row: Residues, terms: Terms, seed: bytes) -> None:
    """Take one survivor's own mask out of the sum, in place."""
    subtract_mask(row, terms.self_mask(seed))
