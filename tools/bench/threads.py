"""What a second thread brings, over what two independent processes reach on the same machine in the same minute."""

import statistics

from tools.bench.contestant import Contestant

_ROUNDS = 61


def share(together, apart):
    """Two processes at once over two threads of one, the median of all rounds: 1 where threads cost nothing."""
    return statistics.median(processes / threads for threads, processes in zip(together, apart))


def _race(command, together_case, apart_case, size):
    """Walls of one process with two threads, and of two processes at once, in turn."""
    together, apart = [], []
    with Contestant(command) as first, Contestant(command) as second:
        for _ in range(_ROUNDS):
            together.append(first.run(together_case, size)['wall'])
            for contestant in (first, second):
                contestant.ask(apart_case, size)
            apart.append(max(contestant.answer()['wall'] for contestant in (first, second)))
    return together, apart


def _line(what, together, apart):
    return (f'{what}: {share(together, apart):.2f} of what two processes reach '
            f'({statistics.median(together) / 1e6:.2f} ms, {statistics.median(apart) / 1e6:.2f} ms)')


def callers(command, size=10_000):
    """A line: two callers, each with its work, over one graph."""
    return _line(f'two callers on one graph of {size} nodes', *_race(command, 'callers-2', 'callers-1', size))


def branches(command, size=256):
    """A line: one backward of eight equal heavy branches on two threads; two processes have two of them."""
    together, apart = _race(command, 'branches-2', 'branches-1', size)
    return _line(f'two threads on eight branches of {size} by {size}', together, [wall / 2 for wall in apart])


MEASUREMENTS = {'callers': callers, 'branches': branches}
