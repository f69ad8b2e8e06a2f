"""The conformance program: every entry point of the table answers as its row says, natively and with the library."""

from __future__ import annotations

import os
import sys

from gpucheck.support import settings
from gpucheck.support.process import finish, last_line
from gpucheck.support.report import promise, skip
from gpucheck.support.slices import preloaded

_SECONDS = 40.0
_LIMIT = "8Gi"


def run() -> None:
    """Runs it in each way that a user may."""
    program = settings.program("conformance")
    if not program.exists():
        skip("all", "not in the bundle")
        return
    command = [str(program)]
    for name, words, environment in [
        ("natively", command, dict(os.environ)),
        ("with the library and no limit", command, preloaded()),
        (f"in a slice of {_LIMIT}", [*settings.vgpu_run("--memory", _LIMIT), *command], dict(os.environ)),
    ]:
        finished = finish(words, environment, _SECONDS)
        sys.stderr.write(f"--- {name}\n{finished.stdout}{finished.stderr}")
        promise(name, finished.returncode == 0, last_line(finished.stderr or finished.stdout))
