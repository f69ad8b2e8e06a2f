"""The program that keeps the driver awake while steps come and go; `workers/keeper.py` is its other end."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path
from typing import Iterator, Mapping

from gpucheck.support import settings

_END_SECONDS = 5.0


@contextlib.contextmanager
def awake(environment: Mapping[str, str], log: Path) -> Iterator[None]:
    """As long as the `with` block. Nothing depends on it: a driver that it cannot start fails the first step."""
    command = [settings.python(), str(settings.CHECK), "--child", "worker", "keeper"]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
