"""Finding what is to be checked, and whether it arrived whole."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Any, Dict, List, Tuple

MANIFEST = "manifest.json"

_LIBRARY = "libvgpu.so"
_SEPARATORS = " \t:;"


class Unusable(Exception):
    """There is nothing here that could be checked; the message says what to do."""


def find_stage(here: Path) -> Path:
    """The directory with `bin/`, `lib/` and `sim/`: the given one, this bundle's, or where the repository builds it."""
    given = os.environ.get("VGPU_STAGE")
    if given:
        return Path(given).resolve()
    target = Path(os.environ.get("CARGO_TARGET_DIR", here.parent.parent / "target"))
    for place in (here / "stage", target / "stage"):
        if place.is_dir():
            return place.resolve()
    raise Unusable("nothing is built here: run `cargo xtask stage`, or use a bundle that ci/gpu/build made")


def outside_of_slices() -> None:
    """Refuses to measure a card of which only a slice is to be seen.

    Raises:
        Unusable: this process is in a slice.
    """
    if os.environ.get("VGPU_LIMITS_DIR") or _LIBRARY in os.environ.get("LD_PRELOAD", ""):
        raise Unusable("this is a slice of vgpu; start the check without vgpu run")
    if Path("/etc/vgpu/limits").is_dir():
        raise Unusable("the limits of this container are set by its node; start the check in one without vgpu")
    if _LIBRARY in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace"):
        # Others' libraries have this name, too, and get into every program by that file.
        raise Unusable(f"a {_LIBRARY} is in this process already: /etc/ld.so.preload? Start the check where none is")


def can_be_started(stage: Path) -> None:
    """Looks for what keeps every program of the stage from starting.

    Raises:
        Unusable: says what, and the way out.
    """
    if set(_SEPARATORS) & set(str(stage)):
        raise Unusable(f"{stage}: nothing can be preloaded from a path with a blank, colon or semicolon; move it")
    program = stage / "bin/vgpu"
    if program.exists() and not os.access(program, os.X_OK):
        raise Unusable(
            f"{program} may not be executed: it lies where nothing may (noexec), or was copied without its mode;"
            " unpack the bundle with tar, or use chmod +x on bin/*"
        )


def manifest(here: Path) -> Dict[str, Any]:
    """What the bundle says of itself; nothing outside of a bundle."""
    path = here / MANIFEST
    if not path.exists():
        return {}
    content: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def damaged(here: Path, described: Dict[str, Any]) -> List[str]:
    """Files of the bundle that are not as they were made: a broken copy has every kind of strange effect."""
    wrong = []
    for name, digest in described.get("files", {}).items():
        path = here / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            wrong.append(name)
    return wrong


def too_new(described: Dict[str, Any]) -> List[str]:
    """Files that need a newer C library than this machine has."""
    library, version = platform.libc_ver()
    if library != "glibc" or not version:
        return []
    needed = described.get("glibc", {})
    return [f"{name} needs glibc {need}" for name, need in needed.items() if _number(need) > _number(version)]


def _number(version: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
