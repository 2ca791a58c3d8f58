"""What a second thread brings, over what two independent processes reach on the same machine in the same minute."""

import statistics

from tools.bench.contestant import Contestant

_SIZE = 10_000
_ROUNDS = 15


def share(together, apart):
    """Medians of two processes at once over two threads of one: 1 where threads cost nothing."""
    return statistics.median(apart) / statistics.median(together)


def callers(command):
    """A line: two callers over one graph."""
    together, apart = [], []
    with Contestant(command) as first, Contestant(command) as second:
        for _ in range(_ROUNDS):
            together.append(first.run('callers-2', _SIZE)['wall'])
            for contestant in (first, second):
                contestant.ask('callers-1', _SIZE)
            apart.append(max(contestant.answer()['wall'] for contestant in (first, second)))
    return (f'two callers on one graph of {_SIZE} nodes: {share(together, apart):.2f} of what two processes reach '
            f'({statistics.median(together) / 1e6:.2f} ms, {statistics.median(apart) / 1e6:.2f} ms)')
