"""Holds two commits against each other, run by run, and says which differences are beyond noise.

    tools/bazel run //tools/bench:compare -- --base=main~3
    tools/bazel run //tools/bench:compare -- --base=FILE        # a twingrad_contestant built before

The commit is built in a work tree of its own, with the options of this one's user.bazelrc.
"""

import argparse
import contextlib
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tools.bench import cases, race
from tools.bench.contestant import Contestant, Failed, one_processor

_HERE = pathlib.Path(__file__).parent
_TARGET = '//tools/bench:twingrad_contestant'
# Of the sign test, over all lines together (Bonferroni).
_LEVEL = 0.05


def sign_test(pairs):
    """The two-sided probability of signs as uneven as these where neither side is faster; ties say nothing."""
    faster = sum(1 for base, here in pairs if here < base)
    slower = sum(1 for base, here in pairs if here > base)
    count = faster + slower
    tail = sum(math.comb(count, k) for k in range(min(faster, slower) + 1)) / 2 ** count
    return min(1.0, 2 * tail)


def verdict(row, lines):
    """A line of text on a row whose contestants are the base and this commit."""
    chance = sign_test(list(zip(*row.runs)))
    change = row.median(1) / row.median(0) - 1
    beyond = chance * lines < _LEVEL
    word = 'no difference beyond noise' if not beyond else 'slower' if change > 0 else 'faster'
    return (f'{row.title:<26} {row.size:>9} {row.median(0):>12.3f} {row.median(1):>12.3f} {100 * change:>+8.1f} % '
            f'p = {chance:.0e}  {word}')


@contextlib.contextmanager
def built(base):
    """The command of the base's contestant: `base` is a file or a commit."""
    if os.path.isfile(base):
        yield [os.path.abspath(base)]
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, 'base')
        if subprocess.run(['git', 'worktree', 'add', '--detach', tree, base]).returncode != 0:
            raise Failed(f'[bench] --base={base} is neither a file nor a commit; try --base=main~1')
        try:
            if os.path.exists('user.bazelrc'):
                shutil.copy('user.bazelrc', tree)
            if subprocess.run(['tools/bazel', 'build', _TARGET], cwd=tree).returncode != 0:
                raise Failed(f'[bench] {_TARGET} of {base} cannot be built; name a later commit')
            binary = os.path.join(folder, 'contestant')
            shutil.copy(os.path.join(tree, '.bazel/bin/tools/bench/twingrad_contestant'), binary)
            subprocess.run(['tools/bazel', 'clean', '--expunge'], cwd=tree, check=False)
        finally:
            subprocess.run(['git', 'worktree', 'remove', '--force', tree], check=False)
        yield [binary]


def main(words):
    parser = argparse.ArgumentParser(prog='tools/bazel run //tools/bench:compare --', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--base', required=True, help='a commit, or a contestant built before')
    parser.add_argument('--cases', type=lambda text: text.split(','), default=[], help='names of cases.py (default: all)')
    parser.add_argument('--seconds', type=float, default=2.0, help='of each case at each size (default: 2)')
    arguments = parser.parse_args(words)
    os.chdir(os.environ.get('BUILD_WORKSPACE_DIRECTORY', '.'))
    try:
        asked = cases.chosen(arguments.cases)
        with built(arguments.base) as command, one_processor(), Contestant(command) as base, \
                Contestant([str(_HERE / 'twingrad_contestant')]) as here:
            rows = []
            for case in asked:
                for size in case.sizes:
                    print(f'{case.name} {size}', end='\r', file=sys.stderr)
                    rows += race.race([base, here], case, size, arguments.seconds)
    except (Failed, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f'{"median":<26} {"size":>9} {"base":>12} {"here":>12} {"change":>10}')
    for row in rows:
        print(verdict(row, len(rows)))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
