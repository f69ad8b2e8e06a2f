"""A run from its beginning to its table."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Dict, List, Optional

from gpucheck.support import settings

from . import driver, keeper, machine, places, plan, product, table
from .child import Child
from .options import Options
from .plan import Step
from .results import Results

_LIMITS = "CUDA_DEVICE_"
"""How the names of limits begin; steps set their own."""

_SIMULATED_DEVICES = 2
_LEAST_SECONDS = 5.0
_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """Somebody wants the run to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Session:
    """Runs the steps one after the other. Whatever ends it, the table comes last."""

    def __init__(self, options: Options, directory: Path) -> None:
        product.outside_of_slices()
        if not options.profile:
            driver.must_be_here()
        self._options = options
        here = settings.CHECK.parent
        self._stage = product.find_stage(here)
        product.can_be_started(self._stage)
        self._manifest = product.manifest(here)
        self._results = Results(directory)
        self._log = directory / "log.txt"
        self._log.write_bytes(b"")
        self._scratch = Path(tempfile.mkdtemp(prefix="vgpu-check-"))

    def run(self) -> int:
        """Returns the exit status: 1 if anything failed, 128 and more if it was interrupted."""
        for number in _INTERRUPTIONS:
            signal.signal(number, _interrupt)
        interruption = 0
        try:
            self._begin()
            with keeper.awake(self._environment(), self._log):
                for step in self._options.steps:
                    self._step(step, self._environment())
        except Interrupted as error:
            self._add("run", "whole run", "skipped", f"ended by {error}")
            interruption = 128 + error.number
        finally:
            for number in _INTERRUPTIONS:
                signal.signal(number, signal.SIG_IGN)
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._print()
        return interruption or (1 if self._results.count("failed") else 0)

    def _print(self) -> None:
        text = table.render(self._results)
        self._results.path.with_name("table.txt").write_text(text + "\n", encoding="utf-8")
        print(text, flush=True)

    def _begin(self) -> None:
        """What belongs to every result, and what would spoil every one."""
        described = {key: value for key, value in self._manifest.items() if key != "files"}
        card = f"simulated, driver {self._options.profile}" if self._options.profile else "real"
        elsewhere = places.VARIABLE if places.for_slices(self._scratch) else ""
        header = {"card": card, "bundle": described, "slices are kept elsewhere": elsewhere, **machine.describe()}
        self._results.add({"outcome": "header", **header})
        for name in product.damaged(settings.CHECK.parent, self._manifest):
            self._add("bundle", name, "failed", "is damaged; copy the bundle again")
        for reason in product.too_new(self._manifest):
            self._add("bundle", "C library", "failed", reason)

    def _step(self, step: Step, environment: Dict[str, str]) -> None:
        start = self._results.seconds()
        patience = plan.REHEARSAL if self._options.profile else 1
        seconds = min(float(step.seconds * patience), plan.TOTAL_SECONDS * patience - start)
        failed = [name for name in step.needs if not self._results.passed(name)]
        if failed or seconds < _LEAST_SECONDS:
            reason = f"{failed[0]} did not succeed" if failed else "the time is over"
            self._add(step.name, "all", "skipped", reason)
            return
        print(f"{step.name} ...", file=sys.stderr, flush=True)
        environment[settings.SECONDS_VARIABLE] = str(int(seconds))
        problem = self._run(step, seconds, environment)
        if problem:
            self._add(step.name, "its end", "failed", problem)
        self._results.add({"step": step.name, "outcome": "end", "seconds": round(self._results.seconds() - start, 3)})

    def _run(self, step: Step, seconds: float, environment: Dict[str, str]) -> str:
        """Returns what went wrong with the process of the step, or nothing."""
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"=== {step.name}\n")
        try:
            child = Child(_command(step), environment, self._log)
        except OSError as error:
            return f"cannot be started: {error}"
        try:
            return child.follow(seconds, lambda message: self._results.add({"step": step.name, **message}))
        except Interrupted:
            self._add(step.name, "its end", "skipped", "interrupted")
            raise
        finally:
            child.end()

    def _environment(self) -> Dict[str, str]:
        """What every step finds in its environment."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_LIMITS)}
        environment[settings.STAGE_VARIABLE] = str(self._stage)
        environment[settings.PROFILE_VARIABLE] = self._options.profile
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment.update(places.for_slices(self._scratch))
        if self._options.profile:
            # A machine of its own, with a second card to choose from.
            environment["VGPU_SIM_SOCKET"] = str(self._scratch / "sim.sock")
            environment["VGPU_SIM_DEVICES"] = str(_SIMULATED_DEVICES)
            environment["LD_LIBRARY_PATH"] = str(self._stage / "sim" / self._options.profile)
        return environment

    def _add(self, step: str, name: str, outcome: str, text: str) -> None:
        self._results.add({"step": step, "name": name, "outcome": outcome, "text": text})


def _command(step: Step) -> List[str]:
    return [settings.python(), str(settings.CHECK), "--child", "step", step.name]


def _interrupt(number: int, _: Optional[FrameType]) -> None:
    raise Interrupted(number)
