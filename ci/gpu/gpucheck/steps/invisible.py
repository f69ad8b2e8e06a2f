"""Without a limit the library is invisible: the same answers with it as without it."""

from __future__ import annotations

import os
from typing import Any, Dict

from gpucheck.support.report import promise
from gpucheck.support.slices import Slice, Tenant, preloaded
from gpucheck.support.units import size as size_text


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
    answers = {"cuDeviceTotalMem": device, "cuMemGetInfo's total": total}
    for version, memory in nvml.items():
        steady = {name: size for name, size in memory.items() if name in ("total", "reserved")}
        answers.update({f"NVML {version}'s {name}": size for name, size in steady.items()})
    return answers


def _compare(way: str, native: Dict[str, int], found: Dict[str, int]) -> None:
    for name, value in native.items():
        other = found[name]
        difference = "" if other == value else f", natively {size_text(value)}"
        promise(f"{way}: {name}", other == value, f"{size_text(other)}{difference}")
