"""An oracle compiled for what it spends its time on, as a run of `check` shows it: for long runs and campaigns.

    tools/bazel run //tools/oracle:trained -- [--programs=6000] [--seed=1] [any flag of `bazel build`]

Compiles the tool twice with clang: with counters (--config=training), which a run of `check` fills, and by what they say
(--config=trained: profile-guided and link-time optimisation). Like any optimised oracle the second is then laid out by a
run of it (tools/rules/lay_out.py). The Programs of the run that counts are judged as well: a finding ends it. Prints where
the oracle lies. Exit status 1 if a step fails, 2 if the arguments are wrong.
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
_TOOLS = {'llvm-profdata-19': 'llvm-19', 'llvm-bolt-19': 'bolt-19'}  # and their packages


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


def _profile(oracle: str, programs: int, seed: int, place: str) -> str:
    """Runs `check`; the path of what its workers have counted, which holds a hash, for compilers' results are kept by it."""
    for old in glob.glob(f'{place}/*.prof*'):
        os.remove(old)
    _run('a run of `check` that counts', [oracle, 'check', f'--programs={programs}', f'--seed={seed}', '--jobs=1',
                                          f'--out={place}/findings'])
    counted = sorted(glob.glob(f'{place}/*.profraw'))
    if not counted:
        raise StepFailed(f'[trained] the run of `check` left no {place}/*.profraw; needed is one of its worker; '
                         'see --config=training in .bazelrc')
    merged = os.path.join(place, 'check.profdata')
    _run('merging what was counted', ['llvm-profdata-19', 'merge', '-o', merged, *counted])
    with open(merged, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:16]
    named = os.path.join(place, f'check-{digest}.profdata')
    os.rename(merged, named)
    return named


def train(programs: int, seed: int, flags: List[str]) -> str:
    """The path of the trained oracle."""
    place = os.path.abspath(_PLACE)
    os.makedirs(place, exist_ok=True)
    generate = f'-fprofile-generate={place}'
    counting = _built(['--config=training', f'--copt={generate}', f'--linkopt={generate}'], flags)
    profile = _profile(counting, programs, seed, place)
    return _built(['--config=trained', f'--copt=-fprofile-use={profile}'], flags)


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
