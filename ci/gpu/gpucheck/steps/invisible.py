"""Without a limit the library is invisible: the same answers with it as without it."""

from __future__ import annotations

import os
from typing import Any, Dict

from gpucheck.support.report import promise
from gpucheck.support.slices import Slice, Tenant, preloaded
from gpucheck.support.units import size


def run() -> None:
    """Only what no other process on the card can change is compared."""
    native = _answers(dict(os.environ))
    _compare("preloaded alone", native, _answers(preloaded()))
    with Slice() as slice_:
        _compare("vgpu run without a limit", native, _answers(slice_.environment))


def _answers(environment: Dict[str, str]) -> Dict[str, int]:
    with Tenant(environment) as tenant:
        device = int(tenant.ask("start")["total"])
        _, total = tenant.memory()
        nvml: Dict[str, Any] = tenant.ask("nvml")
    return {
        "cuDeviceTotalMem": device,
        "cuMemGetInfo's total": total,
        "NVML v1's total": nvml["v1"]["total"],
        "NVML v2's total": nvml["v2"]["total"],
        "NVML v2's reserved": nvml["v2"]["reserved"],
    }


def _compare(way: str, native: Dict[str, int], found: Dict[str, int]) -> None:
    for name, value in native.items():
        other = found[name]
        difference = "" if other == value else f", natively {size(value)}"
        promise(f"{way}: {name}", other == value, f"{size(other)}{difference}")
