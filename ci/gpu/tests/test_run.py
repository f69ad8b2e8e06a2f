"""Whole runs on a product that is broken, and runs that are cut short."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import List

from gpucheck.runner import options
from gpucheck.support.settings import CHECK
from tests.stage import PROFILE, StageTest

SUITE = b"""#!/bin/sh
echo "ok a/one"
if [ -n "$LD_PRELOAD" ]; then echo "fail a/two: 7"; else echo "ok a/two"; fi
echo "fact a/three: $((9 + ${#LD_PRELOAD}))"
"""
"""A conformance program for which the library changes an answer."""


class RunTest(StageTest):
    """The first run on a card must not fail for a silly reason, and if it does, must say which."""

    def test_a_missing_vgpu_is_named_and_what_needs_it_is_skipped(self) -> None:
        (self.stage / "bin/vgpu").unlink()
        finished = self.check()
        self.assertEqual(finished.returncode, 1)
        self.assertEqual(list(self.outcomes("failed")), ["product: vgpu is there"])
        self.assertEqual(self.outcomes("skipped")["limit: all"], "product did not succeed")
        self.assertIn("fact_slabs: 8 allocations of 2 MiB take", self.outcomes("fact"))

    def test_a_library_that_does_not_load_is_a_failure_although_the_loader_goes_on(self) -> None:
        self.break_file("lib/libvgpu.so", b"no library")
        self.assertEqual(self.check("product").returncode, 1)
        failed = self.outcomes("failed")
        self.assertIn("libvgpu.so", failed["product: the library loads"])
        self.assertIn("libvgpu.so", failed["product: vgpu run starts a program with the library"])

    def test_a_library_that_limits_nothing_is_noticed(self) -> None:
        # A library that loads and intercepts nothing.
        innocent = next(Path("/lib").rglob("libm.so.6"), None) or next(Path("/usr/lib").rglob("libm.so.6"))
        self.break_file("lib/libvgpu.so", innocent.read_bytes())
        self.assertEqual(self.check("product", "limit").returncode, 1)
        self.assertEqual(self.outcomes("failed")["limit: cuMemGetInfo's total"], "81,000 MiB, not 1 GiB")

    def test_an_answer_that_changes_with_the_library_is_told_with_both(self) -> None:
        self.break_file("bin/conformance", SUITE)
        self.assertEqual(self.check("conformance").returncode, 1)
        failed = self.outcomes("failed")
        self.assertEqual(failed["conformance: with the library: every answer is the native one"], "1 of 2 differ")
        self.assertRegex(failed["conformance: a/two"], "^in a slice of .*: fail 7; natively: ok $")
        self.assertEqual(self.outcomes("fact")["conformance: a/three"], "9")

    def test_without_a_driver_one_thing_fails_and_nothing_else_is_tried(self) -> None:
        (self.stage / f"sim/{PROFILE}/libnvidia-ml.so.1").unlink()
        finished = self.check()
        self.assertEqual(finished.returncode, 1)
        self.assertEqual(list(self.outcomes("failed")), ["environment: its end"])
        self.assertIn("libnvidia-ml.so.1", self.outcomes("failed")["environment: its end"])
        self.assertEqual(self.outcomes("skipped")["fact_slabs: all"], "environment did not succeed")

    def test_without_a_driver_nothing_is_called_a_failure(self) -> None:
        (self.directory / "libnvidia-ml.so.1").write_text("no library")
        finished = self.check_card(LD_LIBRARY_PATH=str(self.directory))
        self.assertEqual((finished.returncode, finished.stdout), (2, ""))
        self.assertIn("check: no NVIDIA driver found: ", finished.stderr)
        self.assertIn("Looked for libnvidia-ml.so.1 and libcuda.so.1 ", finished.stderr)
        self.assertIn("`check --sim`", finished.stderr)
        self.assertFalse((self.directory / "out").exists())

    def test_a_driver_without_its_part_in_the_kernel_is_no_driver(self) -> None:
        libraries, nothing = str(self.stage / "sim" / PROFILE), str(self.directory / "nothing")
        machine = {"VGPU_SIM_KERNEL": nothing, "VGPU_SIM_SOCKET": str(self.directory / "socket")}
        finished = self.check_card(LD_LIBRARY_PATH=libraries, **machine)
        self.assertEqual(finished.returncode, 2)
        self.assertIn("nvmlInit_v2 returned 9", finished.stderr)

    def check_card(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs the check as for a real card, with these variables."""
        environment = {**self.environment(), **variables}
        command = [sys.executable, str(CHECK)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def test_an_interrupted_run_still_prints_its_table_and_leaves_no_program(self) -> None:
        command = self.command("environment", "fact_launches", "fact_utilisation")
        process = subprocess.Popen(command, env=self.environment(), stdout=subprocess.PIPE, text=True)
        results = self.directory / "out/results.jsonl"
        deadline = time.monotonic() + 300
        while not (results.exists() and '"end"' in results.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        table, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertIn("NVIDIA H100 80GB HBM3", table)
        self.assertEqual(self.outcomes("skipped")["run: whole run"], "ended by SIGTERM")
        mine, deadline = str(self.directory).encode(), time.monotonic() + 60
        while left := [pid for pid in running() if mine in read(pid, "environ")]:
            self.assertLess(time.monotonic(), deadline, [read(pid, "cmdline") for pid in left])
            time.sleep(0.05)

    def test_results_that_cannot_be_written_are_an_error_before_anything_runs(self) -> None:
        environment = {**self.environment(), "OUT": "/proc/results"}
        finished = subprocess.run(self.command(), env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(finished.returncode, 2)
        self.assertIn("results go to /proc/results, set OUT", finished.stderr)

    def test_an_unknown_step_is_named_beside_those_there_are(self) -> None:
        finished = self.check("limits")
        self.assertEqual(finished.returncode, 2)
        self.assertIn("there is no step limits; there are environment, product,", finished.stderr)

    def test_an_interpreter_that_was_found_without_a_path_still_starts_steps(self) -> None:
        environment = {name: self.environment()[name] for name in ("VGPU_STAGE", "OUT")}
        command = ["python3", *self.command("environment")[1:]]
        finished = subprocess.run(command, executable=sys.executable, env=environment, capture_output=True, check=False)
        self.assertEqual(finished.returncode, 0, finished.stderr)

    def test_a_step_after_sim_is_no_profile(self) -> None:
        self.assertEqual(options.parse(["--sim", "limit"]).profile, PROFILE)
        self.assertEqual([step.name for step in options.parse(["--sim", "limit"]).steps], ["limit"])

    def test_it_runs_by_its_own_first_line(self) -> None:
        finished = subprocess.run([str(CHECK), "--help"], capture_output=True, text=True, check=False)
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))


def running() -> List[int]:
    """Every process but the simulated machine, which ends by itself when nobody has used it for a while."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and b"vgpu-sim-kernel" not in read(pid, "cmdline")]


def read(pid: int, name: str) -> bytes:
    """A file about a process, empty when it has gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
