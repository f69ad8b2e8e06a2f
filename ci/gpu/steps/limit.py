"""The limit, seen from inside 1 GiB: what is reported, the last byte that fits, the first that does not."""

from driver import GIB, OUT_OF_MEMORY, SUCCESS, Driver
from nvml import Nvml
from report import expect, fact, mib

nvml = Nvml()
expect("NVML's total is the limit", nvml.memory().total == GIB, mib(nvml.memory().total))
driver = Driver()
free, total = driver.memory()
expect("cuMemGetInfo's total is the limit", total == GIB, mib(total))
fact("left beside the context", mib(free))

code, everything = driver.try_allocate(free)
expect("all that is free is granted", code == SUCCESS, f"{free} bytes, code {code}")
code, pointer = driver.try_allocate(1)
expect("one byte more is refused", code == OUT_OF_MEMORY and pointer == 0, f"code {code}")
expect("nothing is free then", driver.free() == 0, mib(driver.free()))
driver.release(everything)
expect("what was freed is free again", driver.free() == free, mib(driver.free()))
code, _ = driver.try_allocate(free + 1)
expect("one byte too many is refused", code == OUT_OF_MEMORY, f"code {code}")
used = nvml.memory().used
expect("NVML agrees with cuMemGetInfo", used == total - driver.free(), f"used {mib(used)}")
