"""Instructions a node of the engine's steps, counted by Valgrind, against a golden table.

    tools/bazel run //tools/bench:instructions      # counts anew and writes instructions.txt

Counts do not depend on load or clock, only on code and compiler, so a test compares them: what a change costs or saves
shows in the table that it updates.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What a count may differ by: processors differ in the string functions that the C library chooses.
MARGIN = 0.02
STEPS = ('push', 'pop', 'claim', 'deliver', 'accumulate', 'mul')
_FUNCTION = re.compile(r'(c?fn)=\((\d+)\)(?: (.*))?$')
_COST = re.compile(r'(?:[+-]?\d+|\*) (\d+)$')
_TABLE = 'tools/bench/instructions.txt'
_HERE = pathlib.Path(__file__).parent
_HEAD = '''# Instructions a node, counted by Valgrind: one step on a fixed graph of instructions.cc, divided by its nodes.
# tools/bazel run //tools/bench:instructions writes this table.
'''


class Failed(Exception):
    """A sentence for the user."""


def inclusive(profile):
    """{function: instructions, with those of what it calls} of a file that callgrind wrote, for the counted functions."""
    names, totals, current = {}, {}, ''
    for line in profile.splitlines():
        function = _FUNCTION.match(line)
        if function:
            kind, number, name = function.groups()
            names.setdefault(number, name)
            current = names[number] if kind == 'fn' else current
            continue
        cost = _COST.match(line)  # of a line, or after `calls=` of the callee
        if cost and current.startswith('Count'):
            totals[current] = totals.get(current, 0) + int(cost.group(1))
    return totals


def _profile(program, rounds):
    """What the program prints, and the totals of its profile."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'profile')
        command = ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', program, str(rounds)]
        try:
            run = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            raise Failed('[bench] there is no valgrind here; instructions are counted with it; '
                         'apt-get install valgrind') from None
        if run.returncode != 0:
            raise Failed(f'[bench] valgrind ended with status {run.returncode}; 0 is a count; it says: {run.stderr[-2000:]}')
        return run.stdout, inclusive(pathlib.Path(out).read_text())


def count(program):
    """(compiler, {step: instructions a node}) of the program, run under Valgrind: of a second round, with warm memory."""
    said, once = _profile(program, 1)
    _, twice = _profile(program, 2)
    name, version, nodes = said.split()
    missing = [step for step in STEPS if _function(step) not in once]
    if missing:
        raise Failed(f'[bench] the profile has no {", ".join(missing)}; each step is a function of instructions.cc; '
                     'keep it out of line')
    return f'{name} {version}', {step: (twice[_function(step)] - once[_function(step)]) / int(nodes) for step in STEPS}


def _function(step):
    return f'Count{step.capitalize()}'


def as_table(compiler, counts):
    """The text of the golden table."""
    return _HEAD + f'compiler {compiler}\n' + ''.join(f'{step:<10} {counts[step]:7.1f}\n' for step in STEPS)


def parse(table):
    """(compiler, {step: instructions a node}) of the text."""
    words = [line.split(None, 1) for line in table.splitlines() if line and not line.startswith('#')]
    values = {word: value.strip() for word, value in words}
    return values.pop('compiler'), {step: float(value) for step, value in values.items()}


def differences(golden, counts):
    """A line for each step whose count is not that of the golden table, within MARGIN."""
    lines = []
    for step in STEPS:
        then, now = golden.get(step), counts[step]
        if then is None or abs(now - then) > MARGIN * then:
            before = 'no count' if then is None else f'{then:.1f}'
            lines.append(f'[bench] {step}: {now:.1f} instructions a node, the table has {before}; {MARGIN:.0%} more or less '
                         'is allowed; if the change is meant, tools/bazel run //tools/bench:instructions')
    return lines


def main():
    try:
        compiler, counts = count(str(_HERE / 'instructions_counted'))
    except Failed as error:
        print(error, file=sys.stderr)
        return 2
    table = as_table(compiler, counts)
    pathlib.Path(os.environ['BUILD_WORKSPACE_DIRECTORY'], _TABLE).write_text(table)
    print(table, end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
