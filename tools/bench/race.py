"""Runs the same cases on several contestants in turn, and keeps the figures of every run.

The contestants take turns run by run, and who begins changes each round, so that a change of the machine's speed meets
all of them alike. Only one runs at a time.
"""

import dataclasses
import itertools
import math
import statistics
import time


@dataclasses.dataclass
class Row:
    """What one figure of a case was at one size: for each contestant the values of its runs, scaled to `unit`."""
    case: str
    title: str
    unit: str
    size: int
    runs: list

    def median(self, contestant):
        values = self.runs[contestant]
        return statistics.median(values) if values else None

    def ratio(self, contestant):
        """Of this contestant's median to the first one's: above 1 the first is better."""
        mine, theirs = self.median(0), self.median(contestant)
        return theirs / mine if mine and theirs is not None else None


def _rounds(contestants, case, size, seconds, passes):
    """A round warms up and says how many more fit into the time: 5 to 201, and of several passes 9 or more in all."""
    begin = time.monotonic()
    for contestant in contestants:
        contestant.run(case.name, size)
    if case.fresh:
        return math.ceil(3 / passes)
    least = 5 if passes == 1 else math.ceil(9 / passes)
    return max(least, min(201, round(seconds / (time.monotonic() - begin))))


def race(contestants, case, size, seconds, passes=1):
    """The rows of one case at one size, one a figure; in one of so many passes."""
    figures = {}
    for i in range(_rounds(contestants, case, size, seconds, passes)):
        order = list(enumerate(contestants))
        for place, contestant in order if i % 2 == 0 else reversed(order):
            if case.fresh:
                contestant.restart()
            for figure, value in contestant.run(case.name, size).items():
                runs = figures.setdefault(figure, [[] for _ in contestants])
                runs[place].append(case.scaled(value, size))
    plain = len(figures) == 1
    return [Row(case.name, case.title if plain else f'{case.title} {figure}', case.unit, size, runs)
            for figure, runs in figures.items()]


def merged(of_passes):
    """The rows of several passes over the same cases, each with the runs of all."""
    rows = {}
    for row in itertools.chain.from_iterable(of_passes):
        first = rows.setdefault((row.case, row.title, row.size), dataclasses.replace(row, runs=[[] for _ in row.runs]))
        for runs, more in zip(first.runs, row.runs):
            runs.extend(more)
    return list(rows.values())
