"""Whether the product itself can run here: the files are whole, the library loads, `vgpu run` starts a program."""

from __future__ import annotations

import os
import sys

from gpucheck.support import settings
from gpucheck.support.process import finish, last_line, worker
from gpucheck.support.report import fact, fail, promise
from gpucheck.support.slices import preloaded

_SECONDS = 20.0
_SHOW_MAPS = "print(open('/proc/self/maps').read())"


def run() -> None:
    """Every later step would fail in some stranger way if one of these did."""
    missing = [path for path in (settings.program("vgpu"), settings.library()) if not path.exists()]
    for path in missing:
        fail(f"{path.name} is there", f"{path} is missing; make the bundle again with ci/gpu/build")
    if missing:
        return
    version = finish([str(settings.program("vgpu")), "--version"], os.environ, _SECONDS)
    promise("vgpu starts", version.returncode == 0, last_line(version.stdout or version.stderr))
    # A loader that cannot load what it should preload says so and goes on: without limits.
    maps = finish([settings.python(), "-c", _SHOW_MAPS], preloaded(), _SECONDS)
    loaded = "libvgpu.so" in maps.stdout
    promise("the library loads", loaded, "" if loaded else last_line(maps.stderr))
    inside = finish([*settings.vgpu_run("--memory", "1Gi"), *worker("environment")], os.environ, _SECONDS)
    started = inside.returncode == 0 and "LD_PRELOAD" in inside.stdout
    promise("vgpu run starts a program with the library", started, "" if started else last_line(inside.stderr))
    fact("vgpu run says", last_line(inside.stderr) if inside.stderr else "nothing")
    _doctor()


def _doctor() -> None:
    """What `vgpu doctor` finds, by name. Its whole lines are in the log, as they may have paths of the machine."""
    simulator = [f"--sim={settings.profile()}"] if settings.simulated() else []
    told = finish([str(settings.program("vgpu")), "doctor", *simulator], os.environ, _SECONDS)
    sys.stderr.write(told.stdout + told.stderr)
    lines = [line.split(None, 1) for line in told.stdout.splitlines()]
    for word in ("FAIL", "warn"):
        names = [line[1].split("  ")[0] for line in lines if len(line) > 1 and line[0] == word]
        fact(f"vgpu doctor says {word} to", ", ".join(names) or "nothing")
