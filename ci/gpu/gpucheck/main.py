"""From the command line to a run, or to the part of one that this process is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Sequence

from . import child
from .runner import options
from .runner.product import Unusable
from .runner.session import Session


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    if arguments[:1] == ["--child"]:
        return child.main(arguments[1:])
    chosen = options.parse(arguments)
    directory = Path(os.environ.get("OUT") or "gpu-results").resolve()
    try:
        session = Session(chosen, directory)
    except (Unusable, OSError) as error:
        advice = "" if isinstance(error, Unusable) else f"; results go to {directory}, set OUT to a directory of yours"
        print(f"check: {error}{advice}", file=sys.stderr)
        return 2
    return session.run()
