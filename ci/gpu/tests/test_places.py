"""Slices need a place that is theirs and has room, and get another one where the usual one will not do."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from gpucheck.runner import places


class PlacesTest(unittest.TestCase):
    """The usual place is a directory of the test's."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.here = Path(directory.name)
        patch = mock.patch.object(places, "_SHARED_MEMORY", self.here)
        patch.start()
        self.addCleanup(patch.stop)

    def chosen(self, needed: int = 1, **variables: str) -> str:
        """Where slices are told to be; empty for the usual place."""
        with mock.patch.dict(os.environ, variables, clear=True), mock.patch.object(places, "_NEEDED", needed):
            return places.for_slices(Path("/scratch")).get(places.VARIABLE, "")

    def test_the_usual_place_is_left_alone_where_it_has_room(self) -> None:
        self.assertEqual(self.chosen(), "")
        self.assertEqual(self.chosen(XDG_RUNTIME_DIR=str(self.here)), "")

    def test_a_place_that_is_full_or_is_not_there_is_replaced(self) -> None:
        self.assertEqual(self.chosen(needed=1 << 60), "/scratch")
        self.assertEqual(self.chosen(XDG_RUNTIME_DIR="/run/user/nobody-has-this"), "/scratch")

    def test_a_place_that_belongs_to_somebody_else_is_replaced(self) -> None:
        # As sudo leaves it behind.
        with mock.patch("os.geteuid", return_value=os.geteuid() + 1):
            self.assertEqual(self.chosen(XDG_RUNTIME_DIR=str(self.here)), "/scratch")
            self.assertEqual(self.chosen(), "")
