"""The built product, for tests that break it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

from gpucheck.runner.product import find_stage
from gpucheck.support.settings import CHECK

PROFILE = "550"


class StageTest(unittest.TestCase):
    """A copy of the stage to break, and runs of the check on it."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.stage = self.directory / "stage"
        # Links to its files, which are large; a test replaces the one that it breaks.
        original = find_stage(CHECK.parent)
        shutil.copytree(original, self.stage, symlinks=True, copy_function=os.symlink)
        # The program looks for the library beside its own file, where a link would lead it away.
        self.break_file("bin/vgpu", (original / "bin/vgpu").read_bytes())

    def break_file(self, name: str, content: bytes) -> None:
        """Replaces a file of the copy."""
        path = self.stage / name
        path.unlink()
        path.write_bytes(content)
        path.chmod(0o755)

    def command(self, *arguments: str, check: Path = CHECK) -> List[str]:
        """The command line of a rehearsal."""
        return [sys.executable, str(check), f"--sim={PROFILE}", *arguments]

    def environment(self) -> Dict[str, str]:
        """Where a rehearsal finds the product and leaves its results."""
        return {**os.environ, "VGPU_STAGE": str(self.stage), "OUT": str(self.directory / "out")}

    def check(self, *steps: str) -> subprocess.CompletedProcess[str]:
        """Runs some steps to their end."""
        command, environment = self.command(*steps), self.environment()
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def outcomes(self, outcome: str) -> Dict[str, str]:
        """The texts of all results of one outcome, by step and name."""
        lines = (self.directory / "out/results.jsonl").read_text().splitlines()
        records: List[Dict[str, Any]] = [json.loads(line) for line in lines]
        return {f"{one['step']}: {one['name']}": one["text"] for one in records if one.get("outcome") == outcome}
