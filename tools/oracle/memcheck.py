"""Judges random Programs under Valgrind, which reports the first use of what was never written.

    tools/bazel run --config=valgrind //tools/oracle:memcheck -- --programs=2000 [any flag of `oracle check`]
    tools/bazel run --config=valgrind //tools/oracle:memcheck -- replay FINDING

Runs `oracle check` and its workers under memcheck. A worker ends at its first report, so that the Program which brought it
about is a finding like any other crash: minimized, and written to a folder, whose actual.txt holds what Valgrind has said.
Exit status as of `oracle check`; 3 if the tool itself was reported.
"""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import List

# Of a process that Valgrind has ended.
REPORTED = 99
# A worker runs forty times slower, and Valgrind keeps a byte or more for each of its own.
DEFAULTS = {'programs': '1000', 'timeout': '10m', 'memory': '8G'}
_ORACLE = 'tools/oracle/oracle_alone'
_TOP = pathlib.Path(__file__).parent.parent.parent


def oracle_words(flags: List[str]) -> List[str]:
    """The verb and its flags: what those of `check` leave open has defaults that suit a slow run."""
    if flags and not flags[0].startswith('-'):
        return flags
    given = {flag[2:].partition('=')[0] for flag in flags if flag.startswith('--')}
    defaults = {name: value for name, value in DEFAULTS.items() if name not in given}
    if 'time' in given:
        defaults.pop('programs', None)
    return ['check', *(f'--{name}={value}' for name, value in defaults.items()), *flags]


def command(valgrind: str, oracle: str, flags: List[str]) -> List[str]:
    # A finding keeps the end of what its worker has said: short enough to hold the beginning of the report.
    return [valgrind, '--tool=memcheck', '--trace-children=yes', '--exit-on-first-error=yes', f'--error-exitcode={REPORTED}',
            '--leak-check=no', '--quiet', '--num-callers=8', '--read-inline-info=no', oracle,
            *oracle_words(flags)]


def main(arguments: List[str]) -> int:
    valgrind = shutil.which('valgrind')
    if valgrind is None:
        print('[memcheck] there is no valgrind here; Programs run under it; apt-get install valgrind', file=sys.stderr)
        return 2
    oracle = str(_TOP / _ORACLE)
    if arguments and arguments[0].startswith('--oracle='):
        typed_in = os.environ.get('BUILD_WORKING_DIRECTORY', '.')
        oracle = os.path.abspath(os.path.join(typed_in, arguments.pop(0).partition('=')[2]))
    status = subprocess.run(command(valgrind, oracle, arguments), check=False).returncode
    if status == REPORTED:
        print('[memcheck] the tool itself was reported, not a Program; nothing of it may be used before it is written; '
              'see above', file=sys.stderr)
        return 3
    return status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
