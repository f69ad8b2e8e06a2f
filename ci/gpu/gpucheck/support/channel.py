"""The way back to whoever started this process: one JSON object a line on what was standard output.

Drivers and frameworks print on standard output too, and one stray line would break the protocol. So the channel takes
the descriptor for itself and lets everything else go to standard error, which is the log.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict

_descriptor = -1


def take_over() -> None:
    """Makes standard output the channel. Once, before anything else runs."""
    global _descriptor
    _descriptor = os.dup(1)
    os.dup2(2, 1)


def send(message: Dict[str, Any]) -> None:
    """Sends a message, at once and whole."""
    os.write(_descriptor, (json.dumps(message) + "\n").encode())
