"""Programs a second a core of `oracle check`, and the share of each phase.

    tools/bazel run //tools/bench:check -- [--programs=N] [--seed=N]

The rate is of processor seconds, so that other load matters little. Shares are of instructions, which Valgrind counts
in a worker that judges the first of these Programs: they do not depend on load or clock. Instructions are not time:
what waits for memory, for another thread or for the system takes more time than its share.
"""

import argparse
import collections
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

_ORACLE = 'tools/oracle/oracle'
_FUNCTION = re.compile(r'(c?fn)=\((\d+)\)(?: (.*))?$')
_COST = re.compile(r'(?:[+-]?\d+|\*) (\d+)$')
_ORACLE_ROW = re.compile(r'&twingrad::oracles::Judge(\w+)>|judge::\(anonymous namespace\)::(\w+)\(twingrad::judge::Exhibits')
_NAMED_ORACLES = 8
_OF_EVERY_PROGRAM = ('generate', 'twin', 'dual numbers', 'engine', 'oracles')

# How the names of functions between phases begin.
_CAMPAIGN = 'twingrad::workers::(anonymous namespace)::CampaignWork::Run('
_GENERATE = 'twingrad::subjects::ProgramSource::MakeApart('
_JUDGE = 'twingrad::judge::Judge::'
_TABLE = 'twingrad::judge::JudgeByTable('
_ENGINE = 'twingrad::judge::EngineRun::operator()('


class Failed(Exception):
    """A sentence for the user."""


class Profile:
    """Instructions of a file that callgrind wrote: all, and those of calls by caller and callee."""

    def __init__(self, text):
        self.total, self.calls = 0, collections.Counter()
        names, caller, callee = {}, '', None
        for line in text.splitlines():
            function, cost = _FUNCTION.match(line), _COST.match(line)
            if function:
                kind, number, name = function.groups()
                names.setdefault(number, name)
                caller, callee = (names[number], None) if kind == 'fn' else (caller, names[number])
            elif cost and callee is None:
                self.total += int(cost.group(1))
            elif cost:
                self.calls[caller, callee] += int(cost.group(1))
                callee = None

    def of(self, callee, caller=''):
        """Of the functions whose names begin with `callee`, as those that begin with `caller` call them from outside."""
        return sum(count for (a, b), count in self.calls.items()
                   if a.startswith(caller) and b.startswith(callee) and not a.startswith(callee))


def phases(profile):
    """{phase: instructions} of a worker; they add up to all."""
    of = profile.of
    first_runs, judge = of(_ENGINE, _JUDGE), of(_JUDGE)
    further_runs = of(_ENGINE) - first_runs
    in_judge = {
        'twin': of('twingrad::judge::Expectation::Expectation(', _JUDGE),
        'dual numbers': of('twingrad::reference::RunDual(', _JUDGE),
        'balls, of one Program in 20': of('twingrad::reference::ball::RunBall('),
        'engine': first_runs,
        'engine, as oracles ask for it': further_runs,
        'oracles': of(_TABLE) - further_runs,
        'statistics': of('twingrad::judge::Statistics::', _JUDGE) + of('twingrad::oracles::CountGradients(', _JUDGE),
    }
    return {
        'generate': of(_GENERATE),
        **in_judge,
        'rest of the judge': judge - sum(in_judge.values()),
        'rest of the worker': of(_CAMPAIGN) - of(_GENERATE) - judge,
        'other threads, start of the process': profile.total - of(_CAMPAIGN),
    }


def oracles(profile):
    """{oracle: instructions}, by the function that judges."""
    found = collections.Counter()
    for (caller, callee), count in profile.calls.items():
        row = _ORACLE_ROW.search(callee)
        if _TABLE in caller and row:
            found[row.group(1) or row.group(2)] += count
    return found


def as_text(profile, programs):
    found = phases(profile)
    missing = [name for name in _OF_EVERY_PROGRAM if found[name] <= 0]
    if missing:
        raise Failed(f'[bench] the profile has nothing of {", ".join(missing)}; every Program has it; '
                     'bring the names of functions in tools/bench/check.py up to date')
    lines = [f'{profile.total / programs / 1000:.0f} thousand instructions a Program']
    for name, count in found.items():
        lines.append(f'  {name:<38}{count / profile.total:7.1%}')
    largest = ', '.join(f'{name} {count / profile.total:.1%}' for name, count in oracles(profile).most_common(_NAMED_ORACLES))
    return '\n'.join(lines + [f'largest oracles, with runs that they ask for: {largest}']) + '\n'


def _run(arguments, folder, under=()):
    command = [*under, _ORACLE, 'check', '--jobs=1', f'--out={folder}/findings', *arguments]
    try:
        run = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failed(f'[bench] there is no {command[0]} here; instructions are counted with it; '
                     'apt-get install valgrind') from None
    if run.returncode != 0:
        raise Failed(f'[bench] check ended with status {run.returncode}; only a run without findings is measured; '
                     f'it says: {(run.stdout + run.stderr)[-2000:]}')


def _processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rate(programs, seed, folder):
    """Programs a second of processors."""
    before = _processor_seconds()
    _run([f'--programs={programs}', f'--seed={seed}'], folder)
    return programs / (_processor_seconds() - before)


def profile_of(programs, seed, folder):
    under = ['valgrind', '--tool=callgrind', '--trace-children=yes', f'--callgrind-out-file={folder}/profile.%p']
    # Valgrind's own memory counts as the worker's, and its slowness is no hang.
    _run([f'--programs={programs}', f'--seed={seed}', '--memory=64G', '--timeout=1h'], folder, under)
    texts = [path.read_text() for path in pathlib.Path(folder).glob('profile.*')]
    return Profile(next(text for text in texts if _CAMPAIGN in text))  # the worker's, not its parent's


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--programs', type=int, default=10000, help='for the rate; a fifth of them are profiled')
    parser.add_argument('--seed', type=int, default=92)
    arguments = parser.parse_args()
    if arguments.programs < 5:
        print(f'[bench] --programs={arguments.programs} makes no profile, which is of a fifth of them; 5 or more do; '
              'leave the flag out for 10,000', file=sys.stderr)
        return 2
    counted = arguments.programs // 5
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(f'{rate(arguments.programs, arguments.seed, folder):,.0f} Programs a second a core, '
                  f'{arguments.programs:,} of seed {arguments.seed}', flush=True)
            print(as_text(profile_of(counted, arguments.seed, folder), counted), end='')
        except Failed as error:
            print(error, file=sys.stderr)
            return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
