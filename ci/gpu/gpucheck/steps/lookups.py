"""What the CUDA runtimes look up, asked as they do: every answer is the driver's, or the library's where it hooks."""

from __future__ import annotations

import os
from typing import Mapping, Sequence

from gpucheck.support import settings
from gpucheck.support.process import finish, last_line
from gpucheck.support.report import promise, skip
from gpucheck.support.slices import preloaded

_SECONDS = 20.0


def run() -> None:
    """Recorded from libcudart 11.8, 12.9 and 13.5; it works where no program that uses them is at hand."""
    program = settings.program("cudart-replay")
    if not program.exists():
        skip("all", "not in the bundle")
        return
    _replay("natively", [str(program)], os.environ)
    _replay("with the library", [str(program), "--hooked-by", settings.library().name], preloaded())


def _replay(way: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
    finished = finish(command, environment, _SECONDS)
    lines = finished.stdout.splitlines()
    for line in lines:
        version, _, rest = line.partition(":")
        promise(f"{way}: libcudart {version}", finished.returncode == 0, rest.strip())
    if not lines:
        promise(f"{way}: it runs", False, last_line(finished.stderr))
