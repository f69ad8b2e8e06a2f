"""What a context costs: by the device's use, by the process list, by cuMemGetInfo."""

import os

from driver import Driver
from nvml import Nvml
from report import fact, mib, skip

nvml = Nvml()
before = nvml.memory().used
driver = Driver()
fact("context, by the device's use", mib(nvml.memory().used - before))
own = [process.used for process in nvml.processes() if process.pid == os.getpid()]
if own:
    fact("context, by the process list", mib(own[0]))
else:
    skip("context, by the process list", "this process is not listed under its own number (a container)")
free, total = driver.memory()
fact("cuMemGetInfo in a fresh context", f"{mib(free)} free of {mib(total)}")
