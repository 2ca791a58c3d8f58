"""Compares the two mutators of engine_vs_twin, by edges covered over time.

    tools/bazel run --config=asan-libfuzzer //fuzz:mutators -- [--seconds=120] [--seeds=1,2,3] --csv=FILE [--plot=FILE.svg]

Fuzzes from an empty corpus with each mutator and each seed, one after the other, so that each has a core for itself. Edges
are those that judging a Program covers: what decodes an input does not count. Writes a line for each step of a curve,
MUTATOR,SEED,SECONDS,RUNS,EDGES, and draws the curves with gnuplot.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from typing import List, NamedTuple

_MUTATORS = ('bytes', 'programs')
_STATUS = re.compile(r'^#(?P<runs>\d+)\s+\S.*\bcov: (?P<edges>\d+)')


class Point(NamedTuple):
    mutator: str
    seed: int
    seconds: float
    runs: int
    edges: int


def status(line: str):
    """Runs and edges of one of libFuzzer's lines, or None."""
    match = _STATUS.match(line)
    return (int(match['runs']), int(match['edges'])) if match else None


def curve(lines, mutator: str, seed: int, clock) -> List[Point]:
    """A point wherever the number of edges grew, and the last."""
    points: List[Point] = []
    last = None
    for line in lines:
        found = status(line)
        if found is None:
            continue
        last = Point(mutator, seed, clock(), *found)
        if not points or last.edges > points[-1].edges:
            points.append(last)
    return points + [last] if last and last != points[-1] else points


def as_csv(points: List[Point]) -> str:
    rows = [f'{p.mutator},{p.seed},{p.seconds:.1f},{p.runs},{p.edges}' for p in points]
    return '\n'.join(['mutator,seed,seconds,runs,edges'] + rows) + '\n'


def gnuplot_script(points: List[Point], file: str) -> str:
    curves = sorted({(p.mutator, p.seed) for p in points})
    lines = ['set terminal svg size 720,450 background "white"', f'set output "{file}"', 'set grid',
             'set key bottom right', 'set xlabel "seconds"', 'set ylabel "edges covered"', 'set logscale x']
    plots, data = [], []
    for mutator, seed in curves:
        color = 1 + _MUTATORS.index(mutator)
        plots.append(f'"-" using 1:2 with steps linewidth 2 linecolor {color} title "{mutator}, seed {seed}"')
        data += [f'{max(p.seconds, 0.1):.1f} {p.edges}' for p in points if (p.mutator, p.seed) == (mutator, seed)] + ['e']
    return '\n'.join(lines + ['plot ' + ', '.join(plots)] + data) + '\n'


def fuzz(binary: str, mutator: str, seed: int, seconds: int) -> List[Point]:
    with tempfile.TemporaryDirectory() as corpus:
        command = [binary, '-len_control=0', f'-max_total_time={seconds}', f'-seed={seed}', f'-artifact_prefix={corpus}/', corpus]
        environment = dict(os.environ, TWINGRAD_FUZZ_MUTATOR=mutator)
        start = time.monotonic()
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors='replace', env=environment) as fuzzer:
            return curve(fuzzer.stderr, mutator, seed, lambda: time.monotonic() - start)


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=int, default=120, help='for each curve')
    parser.add_argument('--seeds', default='1,2,3', help='of libFuzzer')
    parser.add_argument('--csv', required=True, help='the file to write')
    parser.add_argument('--plot', help='an SVG to draw')
    options = parser.parse_args(arguments)
    binary = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'engine_vs_twin')
    points: List[Point] = []
    for seed in [int(word) for word in options.seeds.split(',')]:
        for mutator in _MUTATORS:
            points += fuzz(binary, mutator, seed, options.seconds)
            print(f'{mutator}, seed {seed}: {points[-1].edges} edges in {points[-1].runs} runs', flush=True)
            with open(options.csv, 'w', encoding='utf-8') as file:
                file.write(as_csv(points))
    if options.plot:
        subprocess.run(['gnuplot'], input=gnuplot_script(points, options.plot), text=True, check=True)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
