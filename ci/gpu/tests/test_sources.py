"""Steps that no rehearsal reaches are at least read."""

from __future__ import annotations

import ast
import importlib
import unittest

from gpucheck.runner.plan import STEPS
from gpucheck.support.settings import CHECK

PACKAGE = CHECK.with_name("gpucheck")
OLDEST_PYTHON = (3, 8)


class SourcesTest(unittest.TestCase):
    """All files of the check."""

    def test_every_step_has_its_file_and_every_file_its_step(self) -> None:
        files = {path.stem for path in (PACKAGE / "steps").glob("[!_]*.py")}
        self.assertEqual({step.name for step in STEPS}, files)

    def test_every_step_comes_after_what_it_needs(self) -> None:
        names = [step.name for step in STEPS]
        for place, step in enumerate(STEPS):
            self.assertLessEqual(set(step.needs), set(names[:place]), step.name)

    def test_every_step_and_worker_can_be_started(self) -> None:
        for kind in ("steps", "workers"):
            for path in (PACKAGE / kind).glob("[!_]*.py"):
                module = importlib.import_module(f"gpucheck.{kind}.{path.stem}")
                self.assertTrue(callable(module.run), path)

    def test_every_file_is_written_for_the_oldest_python(self) -> None:
        for path in [CHECK, CHECK.with_name("build"), *PACKAGE.rglob("*.py")]:
            ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=OLDEST_PYTHON)
