"""Local memory: whether the first launch that needs it takes device memory for every thread the card can hold."""

from driver import Driver
from kernels import LOCAL_BYTES, launch_with_local_memory
from report import fact, mib

driver = Driver()
before = driver.free()
launch = launch_with_local_memory(driver)
loaded = driver.free()
launch()
driver.synchronize()
after = driver.free()
fact("loading a module takes", mib(before - loaded))
fact(f"first launch with {LOCAL_BYTES} bytes of local memory a thread takes", mib(loaded - after))
launch()
driver.synchronize()
fact("the second launch takes", mib(after - driver.free()))
