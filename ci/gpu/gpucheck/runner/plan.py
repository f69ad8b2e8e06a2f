"""What is checked, in which order, and for how long at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

TOTAL_SECONDS = 350
"""For everything together; what has not begun by then is skipped."""

REHEARSAL = 4
"""How many times the limits a rehearsal may take: it runs beside everything else that a machine has to do."""


@dataclass(frozen=True)
class Step:
    """One step, which runs in a process of its own."""

    name: str
    """Also the file in `steps/`."""
    seconds: int
    """It is ended after this time."""
    needs: Tuple[str, ...] = ()
    """Steps without whose success this one tells nothing."""


_DRIVER = ("environment",)
_PRODUCT = ("environment", "product")

STEPS: List[Step] = [
    Step("environment", 20),
    Step("product", 20, _DRIVER),
    Step("conformance", 45, _PRODUCT),
    Step("lookups", 15, _PRODUCT),
    Step("limit", 30, _PRODUCT),
    Step("sharing", 30, _PRODUCT),
    Step("killed", 45, _PRODUCT),
    Step("kinds", 30, _PRODUCT),
    Step("malformed", 30, _PRODUCT),
    Step("invisible", 20, _PRODUCT),
    Step("shares", 90, _PRODUCT),
    Step("tenants", 60, _PRODUCT),
    Step("priority", 40, _PRODUCT),
    Step("pytorch", 90, _PRODUCT),
    Step("smi", 30, _PRODUCT),
    Step("fact_context", 10, _DRIVER),
    Step("fact_nvml", 10, _DRIVER),
    Step("fact_slabs", 15, _DRIVER),
    Step("fact_pools", 10, _DRIVER),
    Step("fact_graphs", 10, _DRIVER),
    Step("fact_local_memory", 10, _DRIVER),
    Step("fact_reset", 10, _DRIVER),
    Step("fact_launches", 15, _DRIVER),
    Step("fact_utilisation", 15, _DRIVER),
    Step("fact_pitch", 10, _DRIVER),
    Step("fact_kernel_limits", 10, _DRIVER),
    Step("speed", 60, _PRODUCT),
    Step("pytorch_shares", 110, _PRODUCT),
    Step("ipc", 30, _PRODUCT),
    Step("selection", 20, _PRODUCT),
    Step("nvidia_ml_py", 20, _PRODUCT),
    Step("cupy", 40, _PRODUCT),
    Step("jax", 75, _PRODUCT),
    Step("nccl", 60, _PRODUCT),
    Step("costs", 40, _PRODUCT),
]
"""Most valuable first: a run may end early."""
