"""Tells its environment, then waits for the end of standard input: what `vgpu run` runs to keep a slice open."""

from __future__ import annotations

import os
import sys
from typing import Sequence

from gpucheck.support import channel


def run(_: Sequence[str]) -> None:
    """Sends one message, the environment."""
    channel.send(dict(os.environ))
    sys.stdin.buffer.read()
