"""The kernels that the check brings along, which no rehearsal runs: what they compute, and how they time themselves."""

from __future__ import annotations

import itertools
import re
import struct
import unittest
from typing import List, Sequence, Tuple

from gpucheck.support import kernels, timed_kernels
from tests.ptx import Kernel, Memory

COUNTER, FIRST, SECOND, THIRD = 64, 4096, 16384, 32768
NEVER = 2**64 - 1
SPECIAL = {"clock", "clock64", "tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "smid", "gridid", "pm0"}
"""Names that PTX has given away already, as far as one might choose them."""


class KernelsTest(unittest.TestCase):
    """Each is run as its text says, with a timer that goes on by 10 whenever it is read."""

    def setUp(self) -> None:
        self.memory = Memory(65536)
        self.memory.store("u64", COUNTER + 8, NEVER)
        self.ticks = itertools.count(1000, 10)

    def launch(self, name: str, grid: Tuple[int, int], block: Tuple[int, int], *arguments: int) -> None:
        kernel = Kernel(timed_kernels.IMAGE, name)
        kernel.launch(self.memory, grid, block, [COUNTER, *arguments], lambda: next(self.ticks))

    def numbers(self, address: int, count: int) -> List[float]:
        return list(struct.unpack_from(f"<{count}f", self.memory.content, address))

    def put(self, address: int, values: Sequence[float]) -> None:
        struct.pack_into(f"<{len(values)}f", self.memory.content, address, *values)

    def test_a_product_of_matrices_is_right_in_every_element(self) -> None:
        rows = 32
        a = [float(i % 7) for i in range(rows * rows)]
        b = [float(i % 5) - 2 for i in range(rows * rows)]
        self.put(FIRST, a)
        self.put(SECOND, b)
        self.launch("matmul", (2, 2), (16, 16), FIRST, SECOND, THIRD, rows)
        expected = [
            sum(a[row * rows + k] * b[k * rows + column] for k in range(rows))
            for row in range(rows)
            for column in range(rows)
        ]
        self.assertEqual(self.numbers(THIRD, rows * rows), expected)

    def test_blending_halves_every_distance(self) -> None:
        self.put(FIRST, [float(i) for i in range(512)])
        self.put(SECOND, [3.0] * 512)
        self.launch("blend", (2, 1), (256, 1), FIRST, SECOND)
        self.assertEqual(self.numbers(SECOND, 512), [(i + 3) / 2 for i in range(512)])

    def test_holding_lasts_as_long_as_it_was_told(self) -> None:
        self.launch("hold", (1, 1), (1, 1), 500)
        self.assertGreaterEqual(self.memory.load("u64", COUNTER), 500)
        self.assertLess(self.memory.load("u64", COUNTER), 600)

    def test_a_kernel_is_timed_from_its_first_block_to_its_last_and_the_counter_is_ready_for_the_next(self) -> None:
        for launches in (1, 2):
            start = next(self.ticks)
            self.launch("blend", (3, 1), (256, 1), FIRST, SECOND)
            took = next(self.ticks) - start
            counted = self.memory.load("u64", COUNTER)
            self.assertTrue(launches * (took - 40) <= counted <= launches * took, (counted, took))
            self.assertEqual(self.memory.load("u64", COUNTER + 8), NEVER)
            self.assertEqual(self.memory.load("u32", COUNTER + 16), 0)

    def test_no_register_has_a_name_that_ptx_has_given_away(self) -> None:
        for text in (timed_kernels.IMAGE, kernels.IMAGE):
            declared = re.findall(r"\.reg \.\w+ ([^;]*);", text)
            names = {name.strip().lstrip("%") for line in declared for name in line.split(",")}
            self.assertEqual(names & SPECIAL, set())
