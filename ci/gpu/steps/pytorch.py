"""PyTorch inside 4 GiB: its own view of the card, its out-of-memory error, and going on after it."""

from report import expect, fact, give_up, mib

try:
    import torch
except ImportError:
    give_up("PyTorch is not installed")

LIMIT = 4 << 30

if not torch.cuda.is_available():
    give_up("this PyTorch has no CUDA, or does not accept this driver")
fact("PyTorch", torch.__version__)
free, total = torch.cuda.mem_get_info()
expect("mem_get_info's total is the limit", total == LIMIT, mib(total))
properties = torch.cuda.get_device_properties(0)
expect("the device's total is the limit", properties.total_memory == LIMIT, mib(properties.total_memory))
tensors = []
try:
    while len(tensors) < 100:
        tensors.append(torch.empty(256 << 20, dtype=torch.uint8, device="cuda"))
    expect("it is refused memory past the limit", False, f"{len(tensors)} tensors of 256 MiB")
except torch.OutOfMemoryError as error:
    expect("it is refused memory past the limit", len(tensors) < 16, f"{len(tensors)} tensors of 256 MiB")
    fact("its error", str(error).split(". ")[0])
del tensors
torch.cuda.empty_cache()
a = torch.randn(2048, 2048, device="cuda")
expect("it computes after that", bool(torch.isfinite(a @ a).all()), "a product of two matrices")
