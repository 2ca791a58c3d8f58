"""Lays out the code of a program by what a run of it executes: what runs one after the other then lies side by side.

    lay_out.py --bolt=PATH --merge=PATH AS_LINKED OUT ARGUMENT...

A program that is larger than a processor's caches for code, and spends its time everywhere in it, waits for its code.
BOLT adds counters to the program AS_LINKED, which runs with these ARGUMENTs, and by what was counted writes OUT: the
same instructions in another order. AS_LINKED must have been linked with --emit-relocs.

How code lies decides how fast a program is, never what it does. So if a step fails, say because the run finds a fault
in what was just compiled, OUT is AS_LINKED, and a line says why. Exit status 2 if the arguments are wrong.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
from typing import List

# Blocks by how often one follows the other, functions by who calls whom, what never ran apart; calls of shared libraries
# without a jump on the way. Not -icf, which makes one of equal functions: with it, Programs of `check` crash.
_LAYOUT = ['-reorder-blocks=ext-tsp', '-reorder-functions=cdsort', '-split-functions', '-split-all-cold', '-split-eh', '-plt=all']


class StepFailed(Exception):
    """A sentence for the user."""


def _run(what: str, command: List[str], place: str) -> None:
    try:
        run = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except OSError as error:
        raise StepFailed(f'{what}: {error}') from None
    if run.returncode != 0:
        last = run.stdout.decode(errors='replace').strip().splitlines()[-8:]
        raise StepFailed('\n  '.join([f'{what}: exit status {run.returncode}, needed is 0; it ends with', *last]))


def _lay_out(bolt: str, merge: str, as_linked: str, out: str, arguments: List[str], place: str) -> None:
    counting, counts, merged = (os.path.join(place, name) for name in ('counting', 'counts', 'merged'))
    _run('adding counters', [bolt, as_linked, '-o', counting, '-instrument', f'--instrumentation-file={counts}',
                             '--instrumentation-file-append-pid'], place)
    _run(f'a run that counts ({" ".join(arguments)})', [counting, *arguments], place)
    # Of each of its processes one.
    counted = sorted(glob.glob(f'{counts}.*.fdata'))
    if not counted:
        raise StepFailed('the run that counts left no counts')
    _run('merging what was counted', [merge, '-o', merged, *counted], place)
    _run('laying out the code', [bolt, as_linked, '-o', out, f'-data={merged}', *_LAYOUT], place)


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bolt', required=True, metavar='PATH', help='of llvm-bolt')
    parser.add_argument('--merge', required=True, metavar='PATH', help='of merge-fdata')
    parser.add_argument('as_linked')
    parser.add_argument('out')
    parser.add_argument('arguments', nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    as_linked, out = os.path.abspath(options.as_linked), os.path.abspath(options.out)
    with tempfile.TemporaryDirectory() as place:
        try:
            _lay_out(options.bolt, options.merge, as_linked, out, options.arguments, place)
        except StepFailed as failed:
            print(f'[lay_out] {os.path.basename(as_linked)} stays as it was linked, which is slower and else the same; {failed}',
                  file=sys.stderr)
            shutil.copy(as_linked, out)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
