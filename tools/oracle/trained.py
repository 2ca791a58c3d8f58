"""An oracle compiled for what it spends its time on, as a run of `check` shows it: for long runs and campaigns.

    tools/bazel run //tools/oracle:trained -- [--programs=6000] [--seed=1] [any flag of `bazel build`]

Compiles the tool twice with clang: with counters (--config=training), which a run of `check` fills, and by what they say
(--config=trained: profile-guided and link-time optimisation). What comes of that is counted once more, by BOLT, which then
lays out its code anew: what runs one after the other lies side by side, for the tool is larger than a processor's caches for
code. The Programs of both runs are judged as well: a finding ends it. Prints where the oracle lies. Exit status 1 if a step
fails, 2 if the arguments are wrong.
"""

import argparse
import glob
import hashlib
import os
import shutil
import subprocess
import sys
from typing import List

_BAZEL = 'tools/bazel'
_TARGET = '//tools/oracle'
_ORACLE = 'tools/oracle/oracle'
_PLACE = '.bazel/trained'
_TOOLS = {'llvm-profdata-19': 'llvm-19', 'llvm-bolt-19': 'bolt-19', 'merge-fdata-19': 'bolt-19'}  # and their packages
# Blocks by how often one follows the other, functions by who calls whom, what never ran apart; calls of shared libraries
# without a jump on the way.
_LAYOUT = ['-reorder-blocks=ext-tsp', '-reorder-functions=cdsort', '-split-functions', '-split-all-cold', '-split-eh', '-icf=1',
           '-plt=all']


class StepFailed(Exception):
    pass


def _run(what: str, command: List[str]) -> None:
    print(f'[trained] {what}', file=sys.stderr, flush=True)
    # Where the oracle lies is all that goes to standard output.
    status = subprocess.run(command, stdout=sys.stderr, check=False).returncode
    if status != 0:
        raise StepFailed(f'[trained] {what}: exit status {status}, needed is 0; see above')


def _built(configuration: List[str], flags: List[str]) -> str:
    """Builds the oracle; its path."""
    _run(f'compiling the oracle with {configuration[0]}', [_BAZEL, 'build', *configuration, *flags, _TARGET])
    bin_folder = subprocess.run([_BAZEL, 'info', *configuration, *flags, 'bazel-bin'], check=True, stdout=subprocess.PIPE,
                                text=True).stdout.strip()
    return os.path.join(bin_folder, _ORACLE)


def _check(what: str, oracle: str, programs: int, seed: int, place: str) -> None:
    _run(what, [oracle, 'check', f'--programs={programs}', f'--seed={seed}', '--jobs=1', f'--out={place}/findings'])


def _counts(pattern: str) -> List[str]:
    """The files that a run of `check` has left, of its processes one each."""
    counted = sorted(glob.glob(pattern))
    if not counted:
        raise StepFailed(f'[trained] the run of `check` left no {pattern}; needed is one of its worker; '
                         'see --config=training in .bazelrc')
    return counted


def _clear(place: str, *patterns: str) -> None:
    for pattern in patterns:
        for old in glob.glob(os.path.join(place, pattern)):
            os.remove(old)


def _profile(oracle: str, programs: int, seed: int, place: str) -> str:
    """Runs `check`; the path of what its workers have counted, which holds a hash, for compilers' results are kept by it."""
    _clear(place, '*.prof*')
    _check('a run of `check` that counts', oracle, programs, seed, place)
    merged = os.path.join(place, 'check.profdata')
    _run('merging what was counted', ['llvm-profdata-19', 'merge', '-o', merged, *_counts(f'{place}/*.profraw')])
    with open(merged, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:16]
    named = os.path.join(place, f'check-{digest}.profdata')
    os.rename(merged, named)
    return named


def _laid_out(oracle: str, programs: int, seed: int, place: str) -> str:
    """The path of the same oracle with its code in another order."""
    _clear(place, '*.fdata', 'counting', 'oracle')
    # By the name that its package gives it, BOLT does not find its own library.
    bolt = os.path.realpath(shutil.which('llvm-bolt-19') or '')
    counting, counts = os.path.join(place, 'counting'), os.path.join(place, 'layout')
    _run('adding counters to the code', [bolt, oracle, '-o', counting, '-instrument', f'--instrumentation-file={counts}',
                                         '--instrumentation-file-append-pid'])
    _check('a run of `check` that counts jumps', counting, programs, seed, place)
    merged = os.path.join(place, 'check.fdata')
    _run('merging what was counted', ['merge-fdata-19', '-o', merged, *_counts(f'{counts}.*.fdata')])
    laid_out = os.path.join(place, 'oracle')
    _run('laying out the code', [bolt, oracle, '-o', laid_out, f'-data={merged}', *_LAYOUT])
    _clear(place, 'counting', 'layout.*.fdata')
    return laid_out


def _link_neighbours(oracle: str, place: str) -> None:
    """What the oracle looks for beside itself: its files, and the explorer where there is one."""
    for name in ('oracle.runfiles', 'explorer', 'explorer.runfiles'):
        neighbour, link = os.path.join(os.path.dirname(oracle), name), os.path.join(place, name)
        if os.path.lexists(link):
            os.remove(link)
        if os.path.exists(neighbour):
            os.symlink(neighbour, link)


def train(programs: int, seed: int, flags: List[str]) -> str:
    """The path of the trained oracle."""
    place = os.path.abspath(_PLACE)
    os.makedirs(place, exist_ok=True)
    generate = f'-fprofile-generate={place}'
    counting = _built(['--config=training', f'--copt={generate}', f'--linkopt={generate}'], flags)
    profile = _profile(counting, programs, seed, place)
    compiled = _built(['--config=trained', f'--copt=-fprofile-use={profile}'], flags)
    laid_out = _laid_out(compiled, programs, seed, place)
    _link_neighbours(compiled, place)
    return laid_out


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--programs', type=int, default=6000, help='that the counting run judges')
    parser.add_argument('--seed', type=int, default=1, help='of the counting run')
    options, flags = parser.parse_known_args(arguments)
    if options.programs < 1:
        print(f'[trained] --programs={options.programs}; allowed is 1 and more; leave it out for 6000', file=sys.stderr)
        return 2
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        packages = ' '.join(sorted({_TOOLS[tool] for tool in missing}))
        print(f'[trained] there is no {" and no ".join(missing)} here; needed to merge counts and lay out code; '
              f'apt-get install {packages}', file=sys.stderr)
        return 1
    os.chdir(os.environ.get('BUILD_WORKSPACE_DIRECTORY', '.'))
    try:
        print(train(options.programs, options.seed, flags))
    except StepFailed as failed:
        print(failed, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
