"""Slices, and programs that live in them and do as they are told."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import settings
from .errors import CannotStart
from .process import Conversation, finish, last_line, worker
from .room import need
from .units import GIB

_LIMIT_SECONDS = 10.0


class Tenant(Conversation):
    """A program that uses the first device it sees; `workers/tenant.py` is its other end."""

    def __init__(self, environment: Optional[Mapping[str, str]] = None) -> None:
        super().__init__(worker("tenant"), environment)

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    def code(self, *request: Any) -> int:
        """The code that a call returned."""
        return int(self.ask(*request)["code"])

    def start(self) -> Tenant:
        """Makes a context."""
        self.ask("start")
        return self

    def memory(self) -> Tuple[int, int]:
        """Free and total bytes, as cuMemGetInfo says."""
        answer = self.ask("memory")
        return int(answer["free"]), int(answer["total"])

    def free_memory(self) -> int:
        """Free bytes, as cuMemGetInfo says."""
        return self.memory()[0]

    def allocate(self, size: int) -> Allocation:
        """Asks for memory and keeps what it gets."""
        return Allocation(self.ask("allocate", size))

    def fill(self) -> Allocation:
        """Takes memory until not one byte more is granted; the allocation's size is the sum."""
        return Allocation(self.ask("fill"))

    def release_all(self) -> None:
        """Frees all that it has."""
        self.ask("release_all")


class Allocation:
    """How an allocation went, or a series of them."""

    def __init__(self, answer: Dict[str, Any]) -> None:
        self.size = int(answer["size"])
        """Granted bytes."""
        self.code = int(answer["code"])
        """The code of the last call."""
        self.untouched = bool(answer["untouched"])
        """Whether the last call left its output argument alone."""


class Slice:
    """A slice that lasts as long as the `with` block. A `vgpu run` holds it; programs join by its environment."""

    def __init__(self, gib: int = 0, gpus: str = "all", cores: int = 0, priority: str = "") -> None:
        """With a memory limit of `gib` GiB and a share of `cores` percent, 0 for none, on these cards."""
        self._gib = gib
        self._options = ["--gpus", gpus]
        self._options += ["--memory", f"{gib}Gi"] if gib else []
        self._options += ["--cores", str(cores)] if cores else []
        self._options += ["--priority", priority] if priority else []
        self.environment: Dict[str, str] = {}

    def __enter__(self) -> Slice:
        if self._gib:
            need(self._gib * GIB)
        self._holder = Conversation([*settings.vgpu_run(*self._options), *worker("environment")])
        self.environment = self._holder.receive()
        return self

    def __exit__(self, *_: object) -> None:
        self._holder.close()

    def limit(self, *options: str) -> None:
        """Changes a limit while programs run, by `vgpu limits`."""
        command = [str(settings.program("vgpu")), "limits", str(self._holder.process.pid), *options]
        changed = finish(command, os.environ, _LIMIT_SECONDS)
        if changed.returncode != 0:
            raise CannotStart(f"vgpu limits {' '.join(options)}: {last_line(changed.stderr)}")

    def player(self) -> Conversation:
        """Starts a program inside that plays workloads."""
        return Conversation(worker("player"), self.environment)

    def tenant(self) -> Tenant:
        """Starts a program inside."""
        return Tenant(self.environment)


def preloaded(**variables: str) -> Dict[str, str]:
    """The environment of a program with the library, but without `vgpu run`: limits are what `variables` say."""
    return {**os.environ, "LD_PRELOAD": str(settings.library()), **variables}


def ways_without_limit() -> List[Tuple[str, Dict[str, str]]]:
    """How a program runs natively and with the library when nothing limits it."""
    return [("native", dict(os.environ)), ("preloaded", preloaded())]
