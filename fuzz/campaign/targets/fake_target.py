#!/usr/bin/python3
"""Stands for a fuzz target in tests: takes the arguments of libFuzzer that shards use, and says what it would say.

An edge is a value of a byte. An input that holds CRASH ends the process as a sanitizer would; with -crash_after=N a run
makes such a one, with -no_start it cannot begin.
"""

import hashlib
import os
import pathlib
import random
import signal
import sys
import time

CRASH = b'CRASH'
STACK = '''==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1 at pc 0x2
    #0 0x2 in planted::Function(int) planted.cc:7:1
    #1 0x3 in LLVMFuzzerTestOneInput planted.cc:9:1
'''


def say(text):
    print(text, file=sys.stderr, flush=True)


def inputs(folders):
    return [path for folder in folders for path in sorted(pathlib.Path(folder).iterdir())]


def keep(folder, data):
    path = pathlib.Path(folder) / hashlib.sha1(data).hexdigest()
    path.write_bytes(data)
    return path


def crash(data, options):
    say(STACK)
    pathlib.Path(options.get('artifact_prefix', '') + 'crash-' + hashlib.sha1(data).hexdigest()).write_bytes(data)
    sys.exit(77)


def merge(into, others, control):
    seen, lines = set(), []
    for number, path in enumerate(inputs(others)):
        fresh = set(path.read_bytes()) - seen
        seen |= fresh
        lines.append(f'COV {number} ' + ' '.join(map(str, sorted(fresh))))
        if fresh:
            keep(into, path.read_bytes())
    pathlib.Path(control).write_text('\n'.join(lines) + '\n')


def fuzz(folders, options):
    draw = random.Random(int(options['seed']))
    for path in inputs(folders):
        if CRASH in path.read_bytes():
            crash(path.read_bytes(), options)
    seen = set().union(*(path.read_bytes() for path in inputs(folders)))
    runs, most = len(inputs(folders)), int(options.get('runs', 1 << 60))
    end = time.monotonic() + float(options['max_total_time'])
    asked = []
    signal.signal(signal.SIGUSR1, lambda *_: asked.append(True))
    say(f'#{runs}\tINITED cov: {len(seen)} ft: 1')
    while runs < most and time.monotonic() < end and not asked:
        runs += 1
        data = bytes([draw.randrange(256)])
        if data[0] not in seen:
            seen.add(data[0])
            keep(folders[0], data)
        if runs % 10 == 0:
            say(f'#{runs}\tpulse  cov: {len(seen)} ft: 1')
        if runs == int(options.get('crash_after', -1)):
            crash(b'some ' + CRASH + b' more', options)
        time.sleep(0.002)
    say(f'stat::number_of_executed_units: {runs}')


def main():
    options = dict(word[1:].partition('=')[::2] for word in sys.argv[1:] if word.startswith('-'))
    paths = [word for word in sys.argv[1:] if not word.startswith('-')]
    if 'no_start' in options:
        say('it has no library')
        sys.exit(1)
    if 'merge' in options:
        merge(paths[0], paths[1:], options['merge_control_file'])
    elif 'minimize_crash' in options:
        pathlib.Path(options['exact_artifact_path']).write_bytes(CRASH)
    elif paths and os.path.isfile(paths[0]):
        data = pathlib.Path(paths[0]).read_bytes()
        if CRASH in data:
            crash(data, options)
    else:
        fuzz(paths, options)


if __name__ == '__main__':
    main()
