"""Quantities for people."""

from __future__ import annotations

import unittest

from gpucheck.support.units import GIB, MIB, size, text


class UnitsTest(unittest.TestCase):
    """What is shown is exact."""

    def test_a_size_is_shown_in_the_largest_unit_that_loses_no_byte(self) -> None:
        shown = {size(count) for count in (0, 1, MIB, MIB + 1, 81559 * MIB, GIB)}
        self.assertEqual(shown, {"0 bytes", "1 bytes", "1 MiB", "1,048,577 bytes", "81,559 MiB", "1 GiB"})

    def test_values_of_every_kind(self) -> None:
        self.assertEqual(text(True, ""), "yes")
        self.assertEqual(text(-559 * MIB, "bytes"), "-559 MiB")
        self.assertEqual(text(12345, "ns"), "12,345 ns")
        self.assertEqual(text("code 0", ""), "code 0")
