"""A column of a text file as the bytes of its cells, looked up and read many at a time.

What a cell means is still up to its own bytes: cells are only compared for being the same, byte by byte, and
whole numbers are worked out by arithmetic on eight bytes at once. Everything else is left to Python.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

LONGEST = 32
"""Bytes of cells that are compared as words; longer ones are looked up one by one."""

SLOTS = 1 << 12
"""How many different cells can be told apart without looking twice."""

_KEPT = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)


def _all(byte: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([byte] * 8), "little"))


class Block:
    """Some lines of a file, UTF-8, with what is needed to read eight bytes at any place.

    Parameters
    ----------
    content
        The lines.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.text = content.decode() if content.isascii() else None
        padded = np.frombuffer(content + bytes(LONGEST + 8), dtype=np.uint8)
        self.bytes = padded[: len(content)]
        self.words: Words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))


class CellBytes(Sequence[str]):
    """Cells of one column.

    Parameters
    ----------
    block
        Where they are.
    starts, stops
        Each cell's first byte, and the one after its last, shape (n,).
    """

    def __init__(self, block: Block, starts: NDArray[np.intp], stops: NDArray[np.intp]) -> None:
        self.block, self.starts, self.stops = block, starts, stops

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return list(CellBytes(self.block, self.starts[at], self.stops[at]))
        return self.block.content[self.starts[at] : self.stops[at]].decode()

    def __iter__(self) -> Iterator[str]:
        places = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
        if self.block.text is not None:
            text = self.block.text
            return (text[start:stop] for start, stop in places)
        content = self.block.content
        return (content[start:stop].decode() for start, stop in places)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """How many bytes each cell has, shape (n,)."""
        return self.stops - self.starts

    def _word(self, place: int) -> Words:
        """Bytes 8 · `place` to 8 · `place` + 7 of each cell, zero after its end; of cells up to `LONGEST`."""
        within = np.minimum(self.starts + 8 * place, len(self.block.words) - 1)
        return self.block.words[within] & _KEPT[np.clip(self.sizes - 8 * place, 0, 8)]

    def look_up(self, code: Callable[[str], int]) -> NDArray[np.int32]:
        """The code of every cell's text, shape (n,).

        Cells that share a slot of a table are compared with one of them; the code of those that equal it in
        every byte is found once, and the others are looked up by their text.
        """
        sizes = self.sizes
        longest = min(int(sizes.max(initial=1)), LONGEST)
        words = [self._word(place) for place in range(-(-longest // 8))]
        mixed = sizes.astype(np.uint64)
        for word in words:
            mixed = (mixed ^ word) * _ODD
            mixed ^= mixed >> np.uint64(29)
        slots = ((mixed * _ODD) >> np.uint64(52)).astype(np.intp)
        heads = np.full(SLOTS, -1, dtype=np.intp)
        heads[slots] = np.arange(len(self))
        head = heads[slots]
        same = (sizes == sizes[head]) & (sizes <= LONGEST)
        for word in words:
            same &= word == word[head]
        found = np.zeros(SLOTS, dtype=np.int32)
        used = heads[heads >= 0]
        short = used[sizes[used] <= LONGEST]
        found[slots[short]] = [code(self[at]) for at in short.tolist()]
        codes: NDArray[np.int32] = found[slots]
        others = np.flatnonzero(~same)
        if len(others):
            texts = list(CellBytes(self.block, self.starts[others], self.stops[others]))
            known = {text: code(text) for text in set(texts)}
            codes[others] = [known[text] for text in texts]
        return codes

    def whole_numbers(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The numbers of the cells that are one to eight digits, and which those are, each of shape (n,)."""
        sizes = np.clip(self.sizes, 1, 8)
        fill = _all(0x30) & _KEPT[8 - sizes]
        digits = (self._word(0) << (8 * (8 - sizes)).astype(np.uint64)) | fill
        high = _all(0xF0)
        plain = ((digits & high) | (((digits + _all(0x06)) & high) >> np.uint64(4))) == _all(0x33)
        plain &= self.sizes == sizes
        # neighbours are put together: digits to pairs, pairs to fours, fours to eight
        value = ((digits & _all(0x0F)) * np.uint64(10 * 2**8 + 1)) >> np.uint64(8)
        value = ((value & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 * 2**16 + 1)) >> np.uint64(16)
        value = ((value & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(10_000 * 2**32 + 1)) >> np.uint64(32)
        return value.astype(np.float64), plain
