"""What is found of the product, and what is wrong with it, is told before anything runs."""

from __future__ import annotations

import hashlib
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from gpucheck.runner import product


class ProductTest(unittest.TestCase):
    """A bundle in a directory of its own."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.here = Path(directory.name).resolve()

    def find(self, **variables: str) -> Path:
        """The stage that is found when only these variables are set."""
        with mock.patch.dict(os.environ, variables, clear=True):
            return product.find_stage(self.here)

    def test_a_given_stage_comes_before_the_bundles_own(self) -> None:
        (self.here / "stage").mkdir()
        self.assertEqual(self.find(), self.here / "stage")
        self.assertEqual(self.find(VGPU_STAGE=f"{self.here}/other"), self.here / "other")

    def test_nothing_built_is_an_error_that_says_what_to_run(self) -> None:
        with self.assertRaisesRegex(product.Unusable, "cargo xtask stage"):
            self.find(CARGO_TARGET_DIR=str(self.here))

    def test_a_slice_is_no_card_to_measure(self) -> None:
        for name, value in (("VGPU_LIMITS_DIR", "/run/limits"), ("LD_PRELOAD", "/a/libvgpu.so:/b.so")):
            with mock.patch.dict(os.environ, {name: value}, clear=True), self.assertRaises(product.Unusable):
                product.outside_of_slices()
        with mock.patch.dict(os.environ, {"LD_PRELOAD": "/usr/lib/libjemalloc.so"}, clear=True):
            product.outside_of_slices()

    def test_a_library_that_is_in_every_program_already_is_noticed(self) -> None:
        maps = "7f00-7f01 r-xp 00000000 08:01 12 /usr/local/vgpu/libvgpu.so\n"
        reading = mock.patch.object(Path, "read_text", return_value=maps)
        with mock.patch.dict(os.environ, {}, clear=True), reading, self.assertRaises(product.Unusable) as caught:
            product.outside_of_slices()
        self.assertIn("/etc/ld.so.preload", str(caught.exception))

    def test_a_path_from_which_nothing_can_be_preloaded_is_refused(self) -> None:
        for name in ("my bundle", "a:b", "a;b"):
            with self.assertRaisesRegex(product.Unusable, "blank, colon or semicolon; move it"):
                product.can_be_started(self.here / name)
        product.can_be_started(self.here / "bundle")

    def test_a_program_that_was_copied_without_its_mode_is_named(self) -> None:
        (self.here / "bin").mkdir()
        (self.here / "bin/vgpu").write_bytes(b"\x7fELF")
        with self.assertRaisesRegex(product.Unusable, "bin/vgpu may not be executed.*chmod"):
            product.can_be_started(self.here)

    def test_a_changed_and_a_lost_file_are_named(self) -> None:
        (self.here / "good").write_text("good")
        (self.here / "changed").write_text("changed")
        digest = hashlib.sha256(b"good").hexdigest()
        described = {"files": {"good": digest, "changed": digest, "lost": digest}}
        self.assertEqual(product.damaged(self.here, described), ["changed", "lost"])

    def test_a_file_for_a_newer_c_library_is_named(self) -> None:
        described = {"glibc": {"old": "2.17", "same": "2.31", "new": "2.100"}}
        with mock.patch("platform.libc_ver", return_value=("glibc", "2.31")):
            self.assertEqual(product.too_new(described), ["new needs glibc 2.100"])
