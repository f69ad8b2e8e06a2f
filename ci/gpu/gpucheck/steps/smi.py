"""nvidia-smi: the slice's size inside of one, and without a limit what it shows natively."""

from __future__ import annotations

import os
import shutil
from typing import Mapping, Sequence

from gpucheck.support import settings
from gpucheck.support.cuda import Cuda
from gpucheck.support.process import finish, last_line
from gpucheck.support.report import fact, promise, skip
from gpucheck.support.slices import preloaded

_SECONDS = 20.0


def run() -> None:
    """Asks for the memory columns; the rest of its output changes from one moment to the next."""
    path = shutil.which("nvidia-smi")
    if path is None:
        skip("all", "nvidia-smi is not installed")
        return
    query = [path, f"--id={Cuda().uuid()}", "--format=csv,noheader,nounits", "--query-gpu=memory.total"]
    native = _ask(query, os.environ)
    if not native.isdigit():
        skip("all", f"natively it says: {native}")
        return
    loaded = _ask(query, preloaded())
    promise("no limit: the total is the native one", loaded == native, f"{loaded} MiB, natively {native} MiB")
    inside = [*settings.vgpu_run("--memory", "1Gi"), *query]
    total = _ask(inside, os.environ)
    promise("in a slice of 1 GiB: the total", total == "1024", f"{total} MiB")
    used = _ask([*inside[:-1], "--query-gpu=memory.used"], os.environ)
    promise("in an empty slice: the use", used == "0", f"{used} MiB")
    table = finish([*settings.vgpu_run("--memory", "1Gi"), path], os.environ, _SECONDS)
    columns = [line.split("|")[2].strip() for line in table.stdout.splitlines() if "MiB /" in line]
    promise("in a slice: its table shows", "1024MiB" in "".join(columns), "; ".join(columns))
    fact("exit status of its table", table.returncode)


def _ask(command: Sequence[str], environment: Mapping[str, str]) -> str:
    finished = finish(command, environment, _SECONDS)
    return last_line(finished.stdout) if finished.returncode == 0 else last_line(finished.stderr or finished.stdout)
