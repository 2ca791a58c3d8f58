"""The page RESULTS.md: what was measured, on which machine, from the output of the commands that measured it."""

import dataclasses
import re
from typing import Callable, Sequence


def programs_of_each_finding(lines):
    """Of the rows `programs N in ...` and `explained by ID n, ID n`: how many Programs each finding takes."""
    text = ' '.join(lines)
    count = re.search(r'programs +([\d,]+) ', text)
    programs = int(count.group(1).replace(',', '')) if count else 0
    found = re.findall(r'([\w-]+-\d{4}) ([\d,]+)', text)
    return [f'{entry:<16} one of {programs / int(times.replace(",", "")):>9,.0f} programs' for entry, times in found]


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One command, and the lines of its output that hold figures."""
    title: str
    command: str
    lines: str  # regular expression of the lines to keep, with those that continue them
    read: Callable[[Sequence[str]], Sequence[str]] = list  # what the page says of them


MEASUREMENTS = (
    Measurement('check', 'tools/bazel run //tools/oracle -- check --seed=1 --programs=500000 --jobs=2',
                r'^(programs|compared) '),
    Measurement('check of libtorch', 'tools/bazel run //tools/oracle -- check --engine=libtorch --seed=1 --programs=40000 --jobs=2',
                r'^(programs|compared) '),
    Measurement('findings in libtorch',
                'tools/bazel run //tools/oracle -- check --engine=libtorch --seed=2 --programs=200000 --jobs=2',
                r'^(programs|explained by) ', programs_of_each_finding),
    Measurement('explore', 'tools/bazel run //tools/oracle -- explore --seed=1 --programs=100 --schedules=200 --jobs=1',
                r'^(programs|schedules) '),
    Measurement('schedules of one Program', 'tools/bazel test //proptests/interleave/engine:rate --test_output=all --nocache_test_results',
                r'schedules/s'),
    Measurement('errors of functions', 'tools/bazel test //proptests/properties:ulps_test --test_output=all --nocache_test_results',
                r'^\w+ +f(32|64) +(ulps|conditioned) '),
    Measurement('engine against libtorch', 'tools/bazel run //tools/bench:engine -- --passes=3',
                r'\d+\.\d+x|^median |^two '),
)

# Pairs of measurements whose rates are compared: the first over the second.
COMPARED = (('check', 'check of libtorch'),)


def kept_lines(measurement, output):
    kept, continues = [], False
    for line in output.splitlines():
        continues = bool(re.search(measurement.lines, line)) or (continues and line.startswith(' ' * 15))
        if continues:
            kept.append(line.rstrip())
    return list(measurement.read(kept))


def rate_per_core(lines):
    """N of the line that says `N a second a core`, or None."""
    for line in lines:
        match = re.search(r'([\d,]+) a second a core', line)
        if match:
            return int(match.group(1).replace(',', ''))
    return None


def ratios(kept):
    """Lines that compare the pairs of COMPARED; `kept` is {title: lines}."""
    found = []
    for first, second in COMPARED:
        rates = [rate_per_core(kept.get(title, [])) for title in (first, second)]
        if all(rates):
            found.append(f'{first} / {second}: {rates[0]:,} / {rates[1]:,} a second a core = {rates[0] / rates[1]:.2f}')
    return found


def page(facts, kept, missing):
    """The text of RESULTS.md. `facts`: what names the machine; `missing`: {title: why there is no figure}."""
    lines = ['# Results', '', 'Written by `tools/bazel run //tools/bench:results`; do not edit.', '', '| | |', '|---|---|']
    lines += [f'| {name} | {value} |' for name, value in facts.items()]
    for measurement in MEASUREMENTS:
        lines += ['', f'## {measurement.title}', '', '```', f'$ {measurement.command}']
        lines += kept.get(measurement.title) or [f'no figure: {missing[measurement.title]}']
        lines += ['```']
    compared = ratios(kept)
    if compared:
        lines += ['', '## Ratios', ''] + [f'- {line}' for line in compared]
    return '\n'.join(lines) + '\n'
