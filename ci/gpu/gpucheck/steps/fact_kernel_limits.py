"""The driver's own memory limit for a control group (branch 615 and later): whether it is there to be used."""

from __future__ import annotations

from pathlib import Path

from gpucheck.support.cuda import Cuda
from gpucheck.support.nvml import Nvml
from gpucheck.support.report import fact, skip
from gpucheck.support.units import size

_ROOT = Path("/sys/fs/cgroup")
_CALLS = ["nvmlDeviceSetMemoryLimits_v1", "nvmlDeviceGetMemoryLimits_v1"]


def run() -> None:
    """Looks, and sets nothing."""
    nvml = Nvml()
    for call in _CALLS:
        fact(f"NVML has {call}", nvml.has(call))
    fact("cards of the dmem controller", _read(_ROOT / "dmem.capacity"), how="dmem.capacity of the root group")
    own = _read(_own_group() / "dmem.max")
    fact("this process's own dmem limit", own, how="dmem.max of its group")
    limits = [int(word) for word in own.replace(";", " ").split() if word.isdigit()]
    if not limits:
        skip("cuMemGetInfo follows the limit", "no dmem limit is set for this process")
        return
    total = Cuda.with_context().memory()[1]
    fact("cuMemGetInfo follows the limit", total in limits, how=f"its total is {size(total)}")


def _own_group() -> Path:
    """The group of this process as its own namespace shows it."""
    lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    unified = [line[3:] for line in lines if line.startswith("0::")]
    return _ROOT / unified[0].lstrip("/") if unified else _ROOT


def _read(path: Path) -> str:
    try:
        return "; ".join(path.read_text(encoding="utf-8").split("\n")).strip("; ") or "empty"
    except OSError as error:
        return f"none ({error.strerror})"
