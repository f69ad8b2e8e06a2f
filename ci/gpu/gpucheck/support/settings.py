"""What the runner tells the processes it starts: by the environment, so that it reaches those in a slice as well."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import List

STAGE_VARIABLE = "VGPU_CHECK_STAGE"
PROFILE_VARIABLE = "VGPU_CHECK_PROFILE"
SECONDS_VARIABLE = "VGPU_CHECK_SECONDS"

CHECK = Path(__file__).resolve().parents[2] / "check"
"""The program that everything here belongs to."""


def python() -> str:
    """The interpreter. Python does not know its own when it was found without a `PATH`."""
    return sys.executable or os.readlink("/proc/self/exe")


def stage() -> Path:
    """The directory with `bin/`, `lib/` and `sim/`."""
    return Path(os.environ[STAGE_VARIABLE])


def library() -> Path:
    """The preload library."""
    return stage() / "lib/libvgpu.so"


def program(name: str) -> Path:
    """One of the programs of the stage; it may be absent."""
    return stage() / "bin" / name


def profile() -> str:
    """The simulated driver's version; empty on a real card."""
    return os.environ.get(PROFILE_VARIABLE, "")


def simulated() -> bool:
    """Whether this is a rehearsal on the simulated card."""
    return profile() != ""


def span(seconds: float) -> float:
    """For how long to look at something: half as long in a rehearsal, which shows that looking works."""
    return seconds / 2 if simulated() else seconds


def vgpu_run(*options: str) -> List[str]:
    """The beginning of a command line that runs the rest of it inside a slice."""
    simulator = [f"--sim={profile()}"] if simulated() else []
    return [str(program("vgpu")), "run", *simulator, *options, "--"]
