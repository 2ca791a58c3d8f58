"""Fuzzes engines with planted concurrency defects, each from an empty corpus, and says how soon they are found.

    tools/bazel run --config=asan-libfuzzer //fuzz:hunt -- [--seconds=60] [--seed=1] [DEFECT...]

Prints a row for each defect: found or not, by which detector, after how many runs and how much time. Exit status 0 if all
were found, 1 if not, 2 if the arguments are wrong.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from typing import List, NamedTuple, Optional

_TARGET = 'engine_schedules'
# What is planted: tools/rules/fuzz.bzl names the binaries after it.
_FOUND = re.compile(r'^\[fuzz\] found: (?P<detector>.*), after (?P<runs>\d+) runs in (?P<seconds>[\d.]+) s')


class Found(NamedTuple):
    detector: str
    runs: int
    seconds: float


def found_in(lines) -> Optional[Found]:
    """What the output of a fuzzer says that it has found, or None; reads no further than that line."""
    for line in lines:
        match = _FOUND.match(line)
        if match:
            return Found(match['detector'], int(match['runs']), float(match['seconds']))
    return None


def row(defect: str, found: Optional[Found], limit: int) -> str:
    if found is None:
        return f'| {defect} | not in {limit} s | | |'
    return f'| {defect} | {found.detector} | {found.runs} | {found.seconds:.1f} |'


def binaries(folder: str) -> dict:
    prefix = _TARGET + '.'
    names = sorted(name for name in os.listdir(folder) if name.startswith(prefix))
    return {name[len(prefix):]: os.path.join(folder, name) for name in names}


def hunt(binary: str, seconds: int, seed: int) -> Optional[Found]:
    with tempfile.TemporaryDirectory() as corpus:
        command = [binary, f'-max_total_time={seconds}', f'-seed={seed}', f'-artifact_prefix={corpus}/', corpus]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors='replace') as fuzzer:
            found = found_in(fuzzer.stderr)
            fuzzer.kill()  # Making it small is not what is timed.
    return found


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=int, default=60, help='for each defect')
    parser.add_argument('--seed', type=int, default=1, help='of libFuzzer')
    parser.add_argument('defects', nargs='*', help='all by default')
    options = parser.parse_args(arguments)
    known = binaries(os.path.dirname(os.path.abspath(__file__)))
    unknown = [name for name in options.defects if name not in known]
    if unknown:
        print(f'[fuzz] no defect is called {unknown[0]}; allowed are {", ".join(known)}', file=sys.stderr)
        return 2
    chosen = options.defects or list(known)
    print('| defect | found by | runs | seconds of processor time |\n|---|---|---|---|', flush=True)
    count = 0
    for name in chosen:
        found = hunt(known[name], options.seconds, options.seed)
        count += found is not None
        print(row(name, found, options.seconds), flush=True)
    print(f'{count} of {len(chosen)} found')
    return 0 if count == len(chosen) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
