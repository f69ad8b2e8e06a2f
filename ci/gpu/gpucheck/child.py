"""Where processes begin that the check starts: `check --child step NAME`, `check --child worker NAME [ARGUMENT...]`."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Callable, Sequence

from .support import channel, report, settings
from .support.errors import CallFailed, CannotStart, NoRoom, Unsupported

_GRACE_SECONDS = 5


def main(arguments: Sequence[str]) -> int:
    """Runs a step or a worker and returns the exit status."""
    kind, name, *rest = arguments
    channel.take_over()
    _end_in_time()
    module = importlib.import_module(f"gpucheck.{kind}s.{name}")
    if kind == "worker":
        module.run(rest)
        return 0
    return _step(module.run)


def _step(run: Callable[[], None]) -> int:
    try:
        run()
    except NoRoom as error:
        report.skip("room", str(error))
    except Unsupported as error:
        reason = "not simulated" if settings.simulated() else "this driver does not have it"
        report.skip("all", f"{reason}: {error}")
    except (CallFailed, CannotStart) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _end_in_time() -> None:
    """Lets the kernel end this process should nobody else.

    A call into a driver that hangs cannot be interrupted from Python, and whoever started the process may have been
    killed.
    """
    seconds = int(os.environ.get(settings.SECONDS_VARIABLE, "0"))
    if seconds:
        signal.alarm(seconds + _GRACE_SECONDS)
