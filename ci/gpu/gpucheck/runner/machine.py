"""The machine, as far as no driver is needed to know it: what makes results comparable, not what tells whose it is."""

from __future__ import annotations

import os
import platform
import resource
import time
from pathlib import Path
from typing import Any, Dict, List


def describe() -> Dict[str, Any]:
    """The first record of the results."""
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "glibc": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "may use": len(os.sched_getaffinity(0)),
        "locked memory": resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
        "container": _container(),
        "device files": sorted(path.name for path in Path("/dev").glob("nvidia*")),
        "mps": "CUDA_MPS_PIPE_DIRECTORY" in os.environ or Path("/tmp/nvidia-mps").exists(),
    }


def _container() -> List[str]:
    """What hints at a container."""
    hints = [name for name in ("/.dockerenv", "/run/.containerenv") if Path(name).exists()]
    hints += [name for name in ("KUBERNETES_SERVICE_HOST", "container") if name in os.environ]
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    fields = dict(line.partition(":")[::2] for line in status.splitlines())
    hints.append(f"levels of process numbers seen: {len(fields.get('NSpid', '1').split())}")
    hints.append(f"process 1 is {_first_process()}")
    hints.append(f"seccomp mode {fields.get('Seccomp', '?').strip()}")
    hints.append("cgroup v2" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "cgroup v1")
    return hints


def _first_process() -> str:
    try:
        return Path("/proc/1/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return "hidden"
