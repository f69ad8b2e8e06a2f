"""nvidia-smi inside 1 GiB."""

import shutil
import subprocess

from report import expect, fact, give_up

if not shutil.which("nvidia-smi"):
    give_up("nvidia-smi is not installed")
query = ["nvidia-smi", "--query-gpu=memory.total,memory.used", "--format=csv,noheader,nounits"]
answer = subprocess.run(query, capture_output=True, text=True, timeout=20)
expect("it ends well", answer.returncode == 0, f"exit status {answer.returncode}")
lines = answer.stdout.strip().splitlines()
expect("the total it shows is the limit", bool(lines) and lines[0].split(",")[0] == "1024", "; ".join(lines))
table = subprocess.run(["nvidia-smi"], capture_output=True, text=True, timeout=20)
rows = [line.split("|")[2].strip() for line in table.stdout.splitlines() if "MiB /" in line]
fact("in its table", rows[0] if rows else "no memory column")
