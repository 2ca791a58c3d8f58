"""Prints how soon `check` tells each fault of the faulty adapter: programs until the first finding, its size, seconds.

    tools/bazel run //tools/oracle/foreign:faults_table
"""

import json
import os
import subprocess
import sys
import tempfile
import time

FAULTS = ('wrong_sign dropped doubled off_by_one nan wrong_shape wrong_dtype broken_after_error crash hang garbage '
          'endless early_exit truncated twice memory').split()
FLAGS = {'hang': ['--timeout=0.3'], 'truncated': ['--timeout=0.3'], 'memory': ['--memory=100M']}


def row(fault, seed):
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        subprocess.run(['tools/oracle/oracle_alone', 'check', '--engine=exec:proptests/mutants/adapter/faulty ' + fault,
                        f'--seed={seed}', '--programs=200', '--jobs=1', '--findings=1', '--out=' + folder,
                        *FLAGS.get(fault, [])], capture_output=True, check=False)
        seconds = time.monotonic() - begin
        for name in os.listdir(folder):
            with open(os.path.join(folder, name, 'finding.json'), encoding='utf-8') as file:
                finding = json.load(file)
            with open(os.path.join(folder, name, 'program.txt'), encoding='utf-8') as file:
                statements = len(file.read().splitlines()) - 1
            flags = ' '.join(FLAGS.get(fault, []))
            return f'| {fault} | {finding["oracle"]} | {finding["index"] + 1} | {statements} | {seconds:.1f} | {flags} |'
    return f'| {fault} | not told | | | {seconds:.1f} | |'


if __name__ == '__main__':
    print('| fault | told as | programs | statements | seconds | flags |\n|---|---|---|---|---|---|')
    for fault in FAULTS:
        print(row(fault, sys.argv[1] if len(sys.argv) > 1 else 1), flush=True)
