"""PyTorch: the same results with the library as without, and its out-of-memory error at the limit."""

from __future__ import annotations

from gpucheck.support.frameworks import absent, compare
from gpucheck.support.report import skip


def run() -> None:
    """Skipped where there is no PyTorch."""
    reason = absent("torch")
    if reason:
        skip("all", reason)
        return
    compare("torch_program")
