#!/usr/bin/env python3
"""Runs the commands of the book's sessions and writes what they say into the pages.

    ci/demo/sessions.py STAGE PAGE...

In every block of a page that is marked `console`, each line that begins with `$ ` is run with the programs of the directory
STAGE (which `cargo xtask stage` prints), and the lines behind it are replaced by what the command says. Meanwhile a
slice of 1 GiB is running in which a program holds 400 MiB and has been refused more. STAGE is shown as /opt/vgpu.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MIB = 1 << 20


class Slice:
    """A program in a slice that does what it is told."""

    def __init__(self, environment):
        command = ["vgpu", "run", "--sim", "--memory", "1Gi", "--", "puppet"]
        pipe = subprocess.PIPE
        self.program = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def tell(self, line):
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        return self.program.stdout.readline().split()

    def work(self):
        self.tell("cuInit 0")
        context = self.tell("cuDevicePrimaryCtxRetain out 0")[-1]
        self.tell(f"cuCtxSetCurrent {context}")
        self.tell(f"cuMemAlloc_v2 out {400 * MIB}")
        refused = self.tell(f"cuMemAlloc_v2 out {1024 * MIB}")
        assert refused[0] == "2", refused

    def end(self):
        self.program.stdin.close()
        self.program.wait()


def say(command, environment, stage):
    output = subprocess.run(
        ["sh", "-c", command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return output.stdout.replace(str(stage), "/opt/vgpu").strip("\n")


def renew(block, environment, stage):
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    sessions = (f"{line}\n{say(line[2:], environment, stage)}" for line in commands)
    return "\n\n".join(session.strip("\n") for session in sessions) + "\n"


def main():
    stage = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, XDG_RUNTIME_DIR=home, VGPU_SIM_SOCKET=f"{home}/sim/socket")
        environment["PATH"] = f"{stage}/bin:{environment['PATH']}"
        held = Slice(environment)
        held.work()
        try:
            for page in map(pathlib.Path, sys.argv[2:]):
                text = page.read_text(encoding="utf-8")
                block = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
                page.write_text(block.sub(lambda found: renew(found[0], environment, stage), text), encoding="utf-8")
        finally:
            held.end()


if __name__ == "__main__":
    main()
