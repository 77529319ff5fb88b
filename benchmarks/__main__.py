"""Run every benchmark in this folder: ``python -m benchmarks [name ...]``. Ratios are measured in one run."""

import importlib
import pkgutil
import sys
from pathlib import Path

wanted = sys.argv[1:]
for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
    if module.name.startswith("bench_") and (not wanted or module.name.removeprefix("bench_") in wanted):
        print(f"== {module.name.removeprefix('bench_')}", flush=True)
        importlib.import_module(f"benchmarks.{module.name}").run()
