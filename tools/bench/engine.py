"""Races this engine with its peers over the same graphs, in one run.

    tools/bazel run //tools/bench:engine -- --cases=chain,mlp --sizes=1000
    tools/bazel run --repo_env=PYTORCH_ROOT=$(python3 -c 'import torch; print(torch.__path__[0])') //tools/bench:engine

The second command races PyTorch beside the distribution's libtorch. With --device=cuda steps of training are raced on a
GPU, with the PyTorch that this Python imports. Ratios are a peer's median over this engine's: above
1 this engine is faster, or smaller.
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import sys

from tools.bench import cases, race, table, threads
from tools.bench.contestant import Contestant, Failed, one_processor

_HERE = pathlib.Path(__file__).parent
PEERS = ('libtorch_contestant', 'pytorch_contestant')


@dataclasses.dataclass(frozen=True)
class Field:
    """Who races on a device, and over what."""
    own: list
    peers: list
    cases: tuple
    threads: dict


def _field(device):
    if device == 'cuda':
        return Field([str(_HERE / 'cuda_contestant')], [[sys.executable, str(_HERE / 'torch_contestant.py'), 'cuda']],
                     cases.TRAINING_ON_GPU, {})
    return Field([str(_HERE / 'twingrad_contestant')],
                 [[str(_HERE / peer)] for peer in PEERS if (_HERE / peer).exists()], cases.CASES, threads.MEASUREMENTS)


def size(text):
    number = int(text) if text.isdigit() else 0
    if not 2 <= number <= 10_000_000:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; a size is a whole number from 2 to 10000000; "
                                         'try --sizes=1000,1000000')
    return number


def number_of_passes(text):
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= 100:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of passes; it is a whole number from 1 to 100; try --passes=3")
    return number


def _arguments(words):
    def several(kind):
        return lambda text: [kind(word) for word in text.split(',') if word]
    parser = argparse.ArgumentParser(prog='tools/bazel run //tools/bench:engine --', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cases', type=several(str), default=[], help='names of cases.py, callers and branches (default: all)')
    parser.add_argument('--sizes', type=several(size), default=[], help='in place of those of the cases')
    parser.add_argument('--seconds', type=float, default=1.0, help='of each case at each size (default: 1)')
    parser.add_argument('--passes', type=number_of_passes, default=1,
                        help='over all cases, so that a busy minute meets some runs of a case and not all (default: 1)')
    parser.add_argument('--device', choices=('cpu', 'cuda'), default='cpu', help='where all of them compute (default: cpu)')
    parser.add_argument('--alone', action='store_true', help='without peers')
    parser.add_argument('--json', metavar='FILE', help='every run')
    parser.add_argument('--plot', metavar='FILE.svg', help='cost over size')
    return parser.parse_args(words)


def _raced(contestants, chosen, arguments, number):
    """The rows of one pass, as they come."""
    for case in chosen:
        for count in arguments.sizes or case.sizes:
            if arguments.passes > 1:
                print(f'[bench] pass {number} of {arguments.passes}: {case.name} {count}', file=sys.stderr, flush=True)
            yield from race.race(contestants, case, count, arguments.seconds / arguments.passes, arguments.passes)


def _printed(rows, names):
    """These rows, each printed as it comes, below a header where the unit changes."""
    unit = None
    for row in rows:
        if row.unit != unit:
            unit = row.unit
            print(table.header(unit, names), flush=True)
        print(table.line(row), flush=True)
        yield row


def _table(contestants, arguments, field):
    names = [contestant.name for contestant in contestants]
    wanted = [name for name in arguments.cases if name not in field.threads]
    chosen = cases.chosen(wanted, tuple(field.threads), field.cases) if wanted or not arguments.cases else []
    of_passes = [_raced(contestants, chosen, arguments, number + 1) for number in range(arguments.passes)]
    rows = of_passes[0] if arguments.passes == 1 else race.merged(of_passes)
    return list(_printed(rows, names)), names


def main(words):
    arguments = _arguments(words)
    os.chdir(os.environ.get('BUILD_WORKING_DIRECTORY', '.'))
    field = _field(arguments.device)
    try:
        with contextlib.ExitStack() as stack:
            commands = [field.own, *([] if arguments.alone else field.peers)]
            if arguments.device == 'cpu':  # where there is a GPU, PyTorch feeds it by a thread of its own
                stack.enter_context(one_processor())
            contestants = [stack.enter_context(Contestant(command)) for command in commands]
            rows, names = _table(contestants, arguments, field)
        for name, measure in field.threads.items():
            if not arguments.cases or name in arguments.cases:
                print(measure(field.own), flush=True)
    except (Failed, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.json:
        pathlib.Path(arguments.json).write_text(table.as_json(rows, names))
    if arguments.plot:
        table.plot(rows, names, arguments.plot)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
