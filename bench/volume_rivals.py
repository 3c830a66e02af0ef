#!/usr/bin/env python3
"""Times `roundel volume unlock` beside dislocker-file, libbde and cp, from the page cache to the page cache of one folder.

    volume_rivals.py ROUNDEL IMAGE RESULTS.jsonl

The image opens with its clear key. Each call adds a round, in which every program runs once, to the results and prints a table of
all rounds so far. The first call compares the programs' outputs before it times any of them. Outputs lie beside the image, one
at a time. libbde is measured through its Python module where that is installed (`pip install libbde-python`), in reads of 1 MiB.
"""

import filecmp
import importlib.util
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

MEBIBYTE = 1 << 20


def libbde(image, output):
    import pybde

    volume = pybde.volume()
    volume.open(image)
    with open(output, "wb", buffering=0) as plain:
        for _ in range(0, Path(image).stat().st_size, MEBIBYTE):
            plain.write(volume.read_buffer(MEBIBYTE))


def commands(roundel, image, output):
    all_cores = [roundel, "volume", "unlock", image, "--clear-key", "--no-sync", "-o", output]
    programs = {
        "cp": ["cp", image, output],
        "roundel": all_cores,
        "roundel, 1 thread": all_cores + ["--threads", "1"],
        "dislocker-file": ["dislocker-file", "-q", "-r", "-V", image, "-c", "--", output],
    }
    if importlib.util.find_spec("pybde"):
        programs["libbde"] = [sys.executable, __file__, "--libbde", image, output]
    return programs


def run(command, output):
    output.unlink(missing_ok=True)
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def compare(programs, output):
    """The first program is cp; all others must write what the second does, but for what the metadata's places read as."""
    first = output.with_suffix(".first")
    for name, command in list(programs.items())[1:]:
        run(command, output)
        if not first.exists():
            shutil.copyfile(output, first)
        elif not filecmp.cmp(first, output, shallow=False):
            sys.exit(f"{name} writes something else")
    first.unlink()


def table(rounds, size):
    names = rounds[0].keys()
    seconds = {name: statistics.median(times[name] for times in rounds) for name in names}
    print(f"| {len(rounds)} rounds of {size >> 20} MiB | seconds, median (least to most) | MB/s | roundel is so many times as fast |")
    print("| --- | --- | --- | --- |")
    for name in names:
        times = [times[name] for times in rounds]
        spread = f"{seconds[name]:.2f} ({min(times):.2f} to {max(times):.2f})"
        print(f"| {name} | {spread} | {size / seconds[name] / 1e6:.0f} | {seconds[name] / seconds['roundel']:.2f} |")


def main():
    if sys.argv[1] == "--libbde":
        return libbde(*sys.argv[2:])
    roundel, image, results = sys.argv[1:]
    output = Path(image).with_suffix(".plain")
    programs = commands(roundel, image, str(output))
    results = Path(results)
    if not results.exists():
        compare(programs, output)
    with open(results, "a") as lines:
        json.dump({name: run(command, output) for name, command in programs.items()}, lines)
        lines.write("\n")
    output.unlink()
    table([json.loads(line) for line in results.read_text().splitlines()], Path(image).stat().st_size)


if __name__ == "__main__":
    main()
