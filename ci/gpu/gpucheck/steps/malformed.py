"""Limits from the environment: what can be read, and that what cannot is an error and never "no limit"."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gpucheck.support import settings
from gpucheck.support.cuda import SYSTEM_NOT_READY
from gpucheck.support.nvml import UNKNOWN
from gpucheck.support.process import finish, last_line, worker
from gpucheck.support.report import equal, promise
from gpucheck.support.slices import Tenant, preloaded
from gpucheck.support.units import GIB

_LIMIT = "CUDA_DEVICE_MEMORY_LIMIT"
_REGION = "CUDA_DEVICE_MEMORY_SHARED_CACHE"
_USAGE = 2


def run() -> None:
    """Each limit needs a process of its own: the library reads it once."""
    with tempfile.TemporaryDirectory(prefix="vgpu-check-") as directory:
        region = str(Path(directory) / "region")
        for text in ("1g", "1024m"):
            with Tenant(preloaded(**{_LIMIT: text, _REGION: region})) as tenant:
                equal(f"{_LIMIT}={text}", int(tenant.ask("total", 0)["total"]), GIB, "bytes")
        for text in ("1.5g", "1024MB", "-1"):
            _malformed(text, region)
    _arguments()


def _malformed(text: str, region: str) -> None:
    with Tenant(preloaded(**{_LIMIT: text, _REGION: region})) as tenant:
        answer = tenant.ask("initialise")
    equal(f"{_LIMIT}={text}: cuInit returns", int(answer["code"]), SYSTEM_NOT_READY)
    equal(f"{_LIMIT}={text}: nvmlInit returns", int(answer["nvml"]), UNKNOWN)


def _arguments() -> None:
    for options, named in ((["--memory", "1.5g"], "1.5g"), (["--memory", "1Gi", "--gpus", "GPU-no"], "GPU-no")):
        finished = finish([*settings.vgpu_run(*options), *worker("environment")], os.environ, 20.0)
        naming = [line for line in finished.stderr.splitlines() if named in line]
        refused = finished.returncode == _USAGE and naming != []
        # Up to the list of cards, whose UUIDs are nobody's business.
        said = naming[0].partition(";")[0] if naming else last_line(finished.stderr)
        promise(f"vgpu run {' '.join(options)} is refused", refused, f"exit status {finished.returncode}: {said}")
