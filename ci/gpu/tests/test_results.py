"""Results: on disk at once, none ever lost to a later run."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from gpucheck.runner import table
from gpucheck.runner.results import Results


class ResultsTest(unittest.TestCase):
    """One directory of results."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def test_a_result_is_on_disk_when_add_returns(self) -> None:
        results = Results(self.directory)
        results.add({"step": "limit", "name": "total", "outcome": "ok", "text": "1 GiB"})
        line = json.loads(results.path.read_text())
        self.assertEqual((line["step"], line["outcome"]), ("limit", "ok"))

    def test_an_earlier_run_is_set_aside_and_not_overwritten(self) -> None:
        for run in range(3):
            Results(self.directory).add({"run": run})
        kept = {path.name: json.loads(path.read_text())["run"] for path in self.directory.iterdir()}
        self.assertEqual(kept, {"results.1.jsonl": 0, "results.2.jsonl": 1, "results.jsonl": 2})

    def test_a_step_succeeds_only_by_ending_without_a_failure(self) -> None:
        results = Results(self.directory)
        results.add({"step": "cut", "outcome": "ok", "name": "", "text": ""})
        results.add({"step": "bad", "outcome": "failed", "name": "", "text": ""})
        results.add({"step": "bad", "outcome": "end", "seconds": 1})
        results.add({"step": "good", "outcome": "skipped", "name": "", "text": ""})
        results.add({"step": "good", "outcome": "end", "seconds": 1})
        passed = {step: results.passed(step) for step in ("cut", "bad", "good", "never")}
        self.assertEqual(passed, {"cut": False, "bad": False, "good": True, "never": False})

    def test_the_table_repeats_failures_at_its_end(self) -> None:
        results = Results(self.directory)
        results.add({"outcome": "header"})
        results.add({"step": "limit", "name": "total", "outcome": "failed", "text": "2 GiB, not 1 GiB"})
        results.add({"step": "limit", "name": "free", "outcome": "ok", "text": "598 MiB", "how": "cuMemGetInfo"})
        results.add({"step": "limit", "outcome": "end", "seconds": 1.25})
        lines = table.render(results).splitlines()
        self.assertIn("limit   1.2 s", lines)
        self.assertTrue(any(line.endswith("ok      598 MiB   (cuMemGetInfo)") for line in lines))
        self.assertIn(["limit", "1", "1", "-", "-", "1.2"], [line.split() for line in lines])
        self.assertEqual(lines[-2], "FAILED: limit: total: 2 GiB, not 1 GiB")
        self.assertIn("1 promises kept, 1 failed, 0 facts, 0 skipped", lines[-1])
