"""The clock of a card's multiprocessors while somebody plays.

A card that is held to a part of its time stays cooler, and may run faster in that part than natively. That is not the
limiter's doing, and must neither be held against it nor excuse it.
"""

from __future__ import annotations

from ctypes import byref, c_uint
from statistics import mean
from typing import Any, Dict, List

from .cuda import Cuda
from .errors import CallFailed
from .nvml import Nvml
from .process import Conversation

_SM = 1  # NVML_CLOCK_SM
_ROUND_SECONDS = 0.05


class Clocks:
    """Looks at the first card of this process."""

    def __init__(self) -> None:
        self._nvml = Nvml(Cuda().uuid())

    def during(self, player: Conversation, *request: Any) -> Dict[str, Any]:
        """A player's answer, and in it as `megahertz` the mean until it came; None where the driver does not tell."""
        player.send(*request)
        samples: List[int] = []
        while not player.wait(_ROUND_SECONDS):
            samples += self._look()
        return {**player.receive(), "megahertz": mean(samples) if samples else None}

    def _look(self) -> List[int]:
        value = c_uint()
        try:
            self._nvml.call("nvmlDeviceGetClockInfo", self._nvml.device, c_uint(_SM), byref(value))
        except CallFailed:
            return []
        return [value.value]
