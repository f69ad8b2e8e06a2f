"""The bundle: whole, small, and only where a bundle may be."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile

from gpucheck.runner import product
from gpucheck.support.settings import CHECK
from tests.stage import StageTest

BUILD = CHECK.with_name("build")


class BuildTest(StageTest):
    """From a copy of the stage, as building everything anew tests nothing here."""

    def build(self, place: str) -> subprocess.CompletedProcess[str]:
        """Makes a bundle at a place below the test's directory."""
        command = [sys.executable, str(BUILD), "--stage", str(self.stage), str(self.directory / place)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    def assert_refused(self, place: str, message: str) -> None:
        """There is an error, and nothing at the place."""
        finished = self.build(place)
        self.assertEqual((finished.returncode, finished.stdout), (1, ""))
        self.assertIn(message, finished.stderr)

    def test_an_archive_has_what_its_manifest_says_and_the_library_untouched(self) -> None:
        self.assertEqual(self.build("bundle.tar.gz").returncode, 0)
        with tarfile.open(self.directory / "bundle.tar.gz") as tar:
            tar.extractall(self.directory)
        bundle = self.directory / "vgpu-gpu-check"
        self.assertEqual(product.damaged(bundle, product.manifest(bundle)), [])
        released = (self.stage / "lib/libvgpu.so").read_bytes()
        self.assertEqual((bundle / "stage/lib/libvgpu.so").read_bytes(), released)
        self.assertFalse((bundle / "stage/sim/null").exists())

    def test_a_file_that_was_damaged_on_the_way_is_named(self) -> None:
        self.build("bundle")
        with (self.directory / "bundle/stage/bin/fill").open("ab") as file:
            file.write(b"x")
        bundle = self.directory / "bundle"
        environment = {**self.environment(), "VGPU_STAGE": str(bundle / "stage")}
        command = self.command("environment", check=bundle / "check")
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(finished.returncode, 1)
        self.assertEqual(self.outcomes("failed"), {"bundle: stage/bin/fill": "is damaged; copy the bundle again"})

    def test_a_directory_that_is_no_bundle_is_left_alone(self) -> None:
        (self.directory / "mine").mkdir()
        (self.directory / "mine/thesis").write_text("three years")
        self.assert_refused("mine", "is a directory, and no bundle")
        self.assertTrue((self.directory / "mine/thesis").exists())

    def test_a_bundle_is_replaced_by_a_newer_one(self) -> None:
        self.build("bundle")
        (self.directory / "bundle/manifest.json").write_text(json.dumps({}))
        self.assertEqual(self.build("bundle").returncode, 0)
        self.assertIn("revision", product.manifest(self.directory / "bundle"))

    def test_a_stage_without_the_product_is_refused(self) -> None:
        (self.stage / "bin/vgpu").unlink()
        self.assert_refused("bundle", "bin/vgpu is missing; `cargo xtask stage` builds it")

    def test_a_library_for_a_newer_c_library_than_promised_is_refused(self) -> None:
        self.break_file("lib/libvgpu.so", b"\x7fELF\0GLIBC_2.2.5\0GLIBC_2.34\0")
        self.assert_refused("bundle", "libvgpu.so needs glibc 2.34, and 2.17 is the promise")

    def test_a_bundle_that_is_too_large_is_refused(self) -> None:
        with (self.stage / "bin/ballast").open("wb") as file:
            file.truncate(65 << 20)
        self.assert_refused("bundle", "67,108,864 are allowed")
