"""Whether there is a driver at all. Without one there is nothing to check, which breaks no promise."""

from __future__ import annotations

import subprocess

from gpucheck.support import settings

from .product import Unusable

_LIBRARIES = ("libnvidia-ml.so.1", "libcuda.so.1")

_LOOK = f"""
import ctypes, sys
try:
    nvml, cuda = [ctypes.CDLL(name) for name in {_LIBRARIES}]
except OSError as error:
    sys.exit(str(error))
if nvml.nvmlInit_v2() == 9:
    sys.exit("the libraries are here, but nvmlInit_v2 returned 9: the kernel's part of the driver is not")
"""
"""In a process of its own: the runner stays without a driver, whatever loading one does."""

_SECONDS = 60


def must_be_here() -> None:
    """Looks for the driver of a real card.

    Raises:
        Unusable: there is none; says what was looked for, and what can be done without.
    """
    try:
        command = [settings.python(), "-c", _LOOK]
        look = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        # A driver that hangs is one: the first step says so, with its own limit of time.
        return
    # A crash is the driver's, and a finding of the first step.
    if look.returncode == 1:
        raise Unusable(
            f"no NVIDIA driver found: {look.stderr.strip()}. Looked for {' and '.join(_LIBRARIES)} where the dynamic"
            " loader looks (LD_LIBRARY_PATH, ldconfig -p); in a container they come from outside (Docker: --gpus all;"
            " NVIDIA_DRIVER_CAPABILITIES, where it is set, has to have compute and utility)."
            " Without a card, `check --sim` rehearses on the simulated one"
        )
