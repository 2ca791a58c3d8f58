"""Measures what this repository says about its speed, and writes tools/bench/RESULTS.md.

    tools/bazel run //tools/bench:results               # all of it
    tools/bazel run //tools/bench:results -- check      # only the measurements whose titles hold this word; prints them

Run it on a machine that does nothing else: the page says how busy the machine was.
"""

import os
import platform
import subprocess
import sys

from tools.bench import results_page

_PAGE = 'tools/bench/RESULTS.md'


def _first_line(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return (result.stdout.splitlines() or ['unknown'])[0]


def _processor():
    with open('/proc/cpuinfo') as file:
        names = [line.split(':', 1)[1].strip() for line in file if line.startswith('model name')]
    return f'{names[0] if names else platform.machine()}, {os.cpu_count()} cores'


def _facts():
    changed = subprocess.run(['git', 'diff', '--quiet', 'HEAD']).returncode != 0
    return {
        'machine': _processor(),
        'load before (1, 5, 15 minutes)': ' '.join(f'{load:.2f}' for load in os.getloadavg()),
        'system': f'{platform.system()} {platform.release()}',
        'compiler': _first_line(['gcc-12', '--version']),
        'commit': _first_line(['git', 'rev-parse', 'HEAD']) + (' with changes' if changed else ''),
        'date': _first_line(['date', '-u', '+%Y-%m-%d %H:%M UTC']),
    }


def main(words):
    os.chdir(os.environ['BUILD_WORKSPACE_DIRECTORY'])
    facts, kept, missing = _facts(), {}, {}
    asked = [measurement for measurement in results_page.MEASUREMENTS
             if not words or any(word in measurement.title for word in words)]
    for measurement in asked:
        print(f'$ {measurement.command}', flush=True)
        result = subprocess.run(measurement.command.split(), stdout=subprocess.PIPE, text=True)
        # A run of `check` that finds something ends with 1, and prints its figures.
        kept[measurement.title] = results_page.kept_lines(measurement, result.stdout)
        missing[measurement.title] = f'the command ended with exit status {result.returncode}'
        if kept[measurement.title] and result.returncode != 0:
            kept[measurement.title].append(missing[measurement.title])
        print('\n'.join(kept[measurement.title]), flush=True)
    print('\n'.join(results_page.ratios(kept)))
    if not words:
        with open(_PAGE, 'w') as file:
            file.write(results_page.page(facts, kept, missing))
        print(f'written: {_PAGE}')
    sys.exit(0 if all(kept.get(measurement.title) for measurement in asked) else 1)


if __name__ == '__main__':
    main(sys.argv[1:])
