"""Fuzzes one target with AFL++: what `tools/bazel run --config=afl //fuzz:NAME.afl` starts.

    tools/bazel run --config=afl //fuzz:safetensors.afl -- [--seconds=60] [--out=DIR] [FLAG OF AFL-FUZZ...]

Begins with the target's seeds, or goes on with what is in DIR. Prints how coverage grew, and each input that killed the
target. Exit status 0: there is none; 1: there is one; 2: it could not run.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Tuple

# AFL++ asks for a machine of its own; and sanitizers shall abort, and leave symbols and leaks to the replay.
SETTINGS = {
    'AFL_NO_UI': '1', 'AFL_SKIP_CPUFREQ': '1', 'AFL_NO_AFFINITY': '1', 'AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES': '1',
    'AFL_AUTORESUME': '1',
    'ASAN_OPTIONS': 'abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1',
}
ROWS = 8
# In the name of an input that afl-fuzz has kept: milliseconds and runs until then.
_KEPT = re.compile(r',time:(\d+),execs:(\d+)')


class Failed(Exception):
    """A sentence for the user."""


class Point(NamedTuple):
    seconds: float
    runs: int
    edges: int
    inputs: int


def kept_at(name: str) -> Tuple[float, int]:
    """When afl-fuzz kept the input of this name: after so many seconds and runs. Seeds: at once."""
    match = _KEPT.search(name)
    return (int(match[1]) / 1000, int(match[2])) if match else (0.0, 0)


def times(last: float, count: int = ROWS) -> List[float]:
    """At which a curve that ends at `last` has its points: close at first, when most is found."""
    return [last * (i / (count - 1))**2 for i in range(count)]


def edges_of(target: str, inputs: List[pathlib.Path], total: int) -> int:
    """How many of the target's edges the inputs cover together."""
    with tempfile.TemporaryDirectory() as folder:
        seeds, covered = os.path.join(folder, 'inputs'), os.path.join(folder, 'edges')
        os.mkdir(seeds)
        for number, path in enumerate(inputs):
            shutil.copyfile(path, os.path.join(seeds, str(number)))  # it follows no links
        command = ['afl-showmap', '-q', '-e', '-C', '-m', 'none', '-t', '5000', '-i', seeds, '-o', covered, '--', target]
        # It leaves a file where it runs.
        run = subprocess.run(command, env={**os.environ, **SETTINGS, 'AFL_MAP_SIZE': str(total // 65536 * 65536 + 65536)},
                             cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        if not os.path.exists(covered):
            raise Failed(f'[afl] afl-showmap ended with status {run.returncode} and has counted nothing; needed is the target '
                         f'that was fuzzed; it says: {run.stdout[-2000:]}')
        return len(pathlib.Path(covered).read_text().splitlines())


def curve_of(target: str, queue: pathlib.Path, total: int) -> List[Point]:
    """What the inputs covered that were kept until each of some moments."""
    kept = sorted((kept_at(path.name), path.resolve()) for path in queue.glob('id:*'))
    points = []
    for moment in times(kept[-1][0][0]) if kept else []:
        until = [(at, path) for at, path in kept if at[0] <= moment + 1e-9]
        edges = edges_of(target, [path for _, path in until], total)
        points.append(Point(moment, until[-1][0][1], edges, len(until)))
    return points


def stats_of(text: str) -> Dict[str, str]:
    """fuzzer_stats: lines of `name : value`."""
    pairs = (line.partition(':')[::2] for line in text.splitlines() if ':' in line)
    return {name.strip(): value.strip() for name, value in pairs}


def table(points: List[Point]) -> str:
    rows = [f'| {p.seconds:.1f} | {p.runs:,} | {p.edges:,} | {p.inputs:,} |' for p in points]
    return '\n'.join(['| seconds | runs | edges | inputs |', '|---|---|---|---|', *rows])


def place_seeds(seeds: List[str], folder: pathlib.Path) -> None:
    folder.mkdir(parents=True)
    for number, seed in enumerate(seeds):
        shutil.copyfile(seed, folder / f'{number:04}-{os.path.basename(seed)}')


def fuzz(target: str, options, further: List[str], out: pathlib.Path) -> None:
    program = shutil.which('afl-fuzz')
    if program is None:
        raise Failed('[afl] there is no afl-fuzz here; it is of the package afl++; apt-get install afl++')
    with tempfile.TemporaryDirectory() as folder:
        seeds = pathlib.Path(folder) / 'seeds'
        place_seeds(options.seeds, seeds)
        command = [program, '-V', str(options.seconds), '-m', 'none', '-t', '5000+', '-i', str(seeds), '-o', str(out)]
        command += ['-x', options.dictionary] if options.dictionary else []
        run = subprocess.run([*command, *further, '--', os.path.abspath(target)], env={**os.environ, **SETTINGS}, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if not (out / 'default' / 'fuzzer_stats').exists():
        raise Failed(f'[afl] afl-fuzz ended with status {run.returncode} and has run nothing; needed is a target of '
                     f'--config=afl that passes its seeds; it says: {run.stdout[-2000:]}')


def report(target: str, out: pathlib.Path) -> int:
    results = out / 'default'
    stats = stats_of((results / 'fuzzer_stats').read_text())
    print(table(curve_of(os.path.abspath(target), results / 'queue', int(stats['total_edges']))))
    print(f'{int(stats["execs_done"]):,} runs, {float(stats["execs_per_sec"]):,.0f} a second; {stats["edges_found"]} of '
          f'{stats["total_edges"]} edges; inputs: {results / "queue"}')
    killers = sorted(path for kind in ('crashes', 'hangs') for path in (results / kind).glob('id*'))
    for path in killers:
        print(f'{path.parent.name}: {os.path.abspath(target)} {path}')
    return 1 if killers else 0


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--target', required=True, help=argparse.SUPPRESS)
    parser.add_argument('seeds', nargs='*', help=argparse.SUPPRESS)
    parser.add_argument('--dictionary', help=argparse.SUPPRESS)
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--out', help='a folder, made where it is not there; else a fresh one')
    options, further = parser.parse_known_args(arguments)
    typed_in = os.environ.get('BUILD_WORKING_DIRECTORY', '.')
    out = pathlib.Path(os.path.join(typed_in, options.out) if options.out else tempfile.mkdtemp(prefix='afl-'))
    try:
        fuzz(options.target, options, further, out)
        return report(options.target, out)
    except Failed as failed:
        print(failed, file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
