"""A step's process may hang, crash, lie or leave programs behind: the run goes on."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Dict, List, Tuple

from gpucheck.runner.child import Child


class ChildTest(unittest.TestCase):
    """Each test is a Python program that behaves in one way."""

    def setUp(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def run_program(self, program: str, seconds: float = 20.0) -> Tuple[str, List[Dict[str, object]]]:
        """What went wrong with it, and what it sent."""
        child = Child([sys.executable, "-c", program], os.environ, Path(self.directory.name) / "log.txt")
        messages: List[Dict[str, object]] = []
        try:
            return child.follow(seconds, messages.append), messages
        finally:
            child.end()

    def test_messages_arrive_and_a_good_end_is_no_problem(self) -> None:
        problem, messages = self.run_program('print(\'{"name": "a"}\'); print(\'{"name": "b"}\')')
        self.assertEqual((problem, messages), ("", [{"name": "a"}, {"name": "b"}]))

    def test_what_was_sent_before_a_crash_is_kept_and_the_signal_is_named(self) -> None:
        program = 'import os; print(\'{"name": "a"}\', flush=True); os.kill(os.getpid(), 11)'
        problem, messages = self.run_program(program)
        self.assertEqual((problem, messages), ("killed by SIGSEGV", [{"name": "a"}]))

    def test_a_failure_is_told_with_the_last_line_of_the_log(self) -> None:
        problem, _ = self.run_program("import sys; sys.exit('no such card')")
        self.assertEqual(problem, "exit status 1: no such card")

    def test_a_line_that_is_no_message_is_a_problem_and_not_the_end_of_the_run(self) -> None:
        problem, messages = self.run_program("print('hello'); print('{\"name\": \"a\"}')")
        self.assertEqual((problem, messages), ("it sent what is no message: hello", [{"name": "a"}]))

    def test_a_hanging_step_ends_at_its_limit_with_all_that_it_started(self) -> None:
        pid_file = Path(self.directory.name) / "pid"
        program = f"""
import signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleeper = subprocess.Popen(["sleep", "600"])
open({str(pid_file)!r}, "w").write(str(sleeper.pid))
time.sleep(600)
"""
        start = time.monotonic()
        problem, _ = self.run_program(program, 2.0)
        self.assertEqual(problem, "not finished in 2 s")
        self.assertLess(time.monotonic() - start, 300)
        self.assertFalse(is_running(int(pid_file.read_text())))

    def test_a_program_left_behind_does_not_hold_up_the_run_and_is_ended(self) -> None:
        pid_file = Path(self.directory.name) / "pid"
        program = f"""
import subprocess
open({str(pid_file)!r}, "w").write(str(subprocess.Popen(["sleep", "600"]).pid))
"""
        problem, _ = self.run_program(program, 300.0)
        self.assertEqual(problem, "")
        self.assertFalse(is_running(int(pid_file.read_text())))


def is_running(pid: int) -> bool:
    """Whether a process is there, and more than a zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
