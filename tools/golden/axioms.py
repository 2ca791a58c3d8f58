"""What C++20 allows a litmus test to show, by enumeration: every execution that the axioms of the memory model admit.

    python3 tools/golden/axioms.py golden/litmus/sb-relaxed.litmus          # prints the outcomes
    python3 tools/golden/axioms.py --write golden/litmus/*.litmus           # writes them into the files

The axioms are those of the C++20 standard, [intro.races] and [atomics.order]: coherence, read-modify-writes that read
the store before them, one order of the sequentially consistent operations. The standard also lets two threads each read
what comes later in the other (load buffering). No interleaving shows that, so what only a cycle of sequenced-before and
reads-from shows is marked `not_modelled`.

A test is small: each thread a few of `store LOC VALUE ORDER`, `load REG LOC ORDER`, `add REG LOC VALUE ORDER`,
`cas REG LOC EXPECTED DESIRED SUCCESS FAILURE`, `fence ORDER`, and plain accesses `put CELL`, `get CELL if REG VALUE`.
Locations start at 0. `observe LOC...` adds final values to the outcome. A race of plain accesses is the outcome `race`.
"""

import dataclasses
import itertools
import sys

ACQUIRES = {'acquire', 'acq_rel', 'seq_cst'}
RELEASES = {'release', 'acq_rel', 'seq_cst'}


@dataclasses.dataclass(frozen=True)
class Event:
    """One operation of a thread; thread -1 holds the initial stores."""
    index: int
    thread: int
    kind: str
    words: tuple

    @property
    def location(self):
        return {'store': 0, 'load': 1, 'add': 1, 'cas': 1, 'put': 0, 'get': 0, 'fence': None}[self.kind]

    @property
    def place(self):
        return None if self.location is None else self.words[self.location]


def parse(text):
    """Events of each thread, and the locations whose final values are part of the outcome."""
    threads, observed = [], []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith('#') or words[0] == 'outcome':
            continue
        if words[0] == 'thread':
            threads.append([])
        elif words[0] == 'observe':
            observed = words[1:]
        else:
            threads[-1].append((words[0], tuple(words[1:])))
    events = []
    names = sorted({w[{'store': 0, 'load': 1, 'add': 1, 'cas': 1}[k]] for t in threads for k, w in t
                    if k in ('store', 'load', 'add', 'cas')})
    for name in names:
        events.append(Event(len(events), -1, 'store', (name, '0', 'relaxed')))
    for number, operations in enumerate(threads):
        for kind, words in operations:
            events.append(Event(len(events), number, kind, words))
    return events, observed


def compose(a, b):
    follow = {}
    for x, y in b:
        follow.setdefault(x, []).append(y)
    return {(x, z) for x, y in a for z in follow.get(y, ())}


def closure(relation):
    result = set(relation)
    while True:
        more = compose(result, result) - result
        if not more:
            return result
        result |= more


def is_acyclic(relation):
    return all(x != y for x, y in closure(relation))


class Execution:
    """One choice of what each load reads and of the order of the stores of each location."""

    def __init__(self, events, reads_from, orders):
        self.events = events
        self.reads_from = reads_from  # event index -> store index
        self.orders = orders  # location -> store indices, the first is the initial one
        self.read = {}
        self.written = {e.index: int(e.words[1]) for e in events if e.kind == 'store'}

    def evaluate(self):
        """Fills in values; False where a value would depend on itself."""
        waiting = [e for e in self.events if e.kind in ('load', 'add', 'cas')]
        while waiting:
            ready = [e for e in waiting if self.reads_from[e.index] in self.written]
            if not ready:
                return False
            for event in ready:
                value = self.read[event.index] = self.written[self.reads_from[event.index]]
                if event.kind == 'add':
                    self.written[event.index] = value + int(event.words[2])
                elif event.kind == 'cas' and value == int(event.words[2]):
                    self.written[event.index] = int(event.words[3])
            waiting = [e for e in waiting if e not in ready]
        # A compare-exchange is a store exactly if it found what it expected.
        placed = {index for order in self.orders.values() for index in order}
        return placed == set(self.written)

    def order_of(self, event):
        if event.kind == 'cas':
            return event.words[4] if event.index in self.written else event.words[5]
        return event.words[-1] if event.kind in ('store', 'load', 'add', 'fence') else 'plain'

    def runs(self, event):
        """A conditional plain access happens only if the register has the value."""
        if event.kind != 'get' or len(event.words) == 1:
            return True
        loads = [e for e in self.events if e.index in self.read and e.words[0] == event.words[2]]
        return self.read[loads[0].index] == int(event.words[3])

    def is_consistent(self, cycles_allowed):
        events = [e for e in self.events if self.runs(e)]
        order = {e.index: self.order_of(e) for e in events}
        every = {e.index for e in events}
        same = {(i, i) for i in every}
        sb = {(a.index, b.index) for a in events for b in events
              if (a.thread == b.thread != -1 and a.index < b.index) or (a.thread == -1 != b.thread)}
        rf = {(store, load) for load, store in self.reads_from.items()}
        mo = {pair for o in self.orders.values() for pair in itertools.combinations(o, 2)}
        rb = {(load, later) for load, store in self.reads_from.items() for earlier, later in mo
              if earlier == store and later != load}
        eco = closure(rf | mo | rb)
        updates = {i for i in self.written if i in self.read}
        sequence = closure(same | {(a, b) for a, b in rf if b in updates})
        fences = {e.index for e in events if e.kind == 'fence'}
        heads = {(i, i) for i in every if order[i] in RELEASES}
        tails = {(i, i) for i in every if order[i] in ACQUIRES}
        to_store = same | {(a, b) for a, b in sb if a in fences and b in self.written}
        from_load = same | {(a, b) for a, b in sb if b in fences and a in self.read}
        is_store = {(i, i) for i in self.written}
        sw = heads
        for step in (to_store, is_store, sequence, rf, from_load, tails):
            sw = compose(sw, step)
        self.hb = hb = closure(sb | sw)
        if any(x == y for x, y in hb) or any(x == y for x, y in compose(hb, eco)):
            return False
        for update in updates:
            chain = self.orders[self.events[update].place]
            if chain[chain.index(update) - 1] != self.reads_from[update]:
                return False
        sequential = {i for i in every if order[i] == 'seq_cst'}
        barriers = fences & sequential
        strong = closure(sb | {(a, b) for a, b in sw if a in sequential and b in sequential}
                         | compose(compose(sb, hb), sb))
        before = {(i, i) for i in sequential} | {(f, a) for f, a in hb if f in barriers}
        after = {(i, i) for i in sequential} | {(b, f) for b, f in hb if f in barriers}
        single_order = {(a, b) for a, b in strong if a in sequential and b in sequential}
        single_order |= compose(compose(before, eco), after)
        return is_acyclic(single_order) and (cycles_allowed or is_acyclic(sb | rf))

    def has_race(self):
        plain = [e for e in self.events if e.kind in ('put', 'get') and self.runs(e)]
        return any(a.thread != b.thread and a.place == b.place and 'put' in (a.kind, b.kind)
                   and (a.index, b.index) not in self.hb and (b.index, a.index) not in self.hb
                   for a, b in itertools.combinations(plain, 2))

    def outcome(self, observed):
        if self.has_race():
            return 'race'
        values = sorted((e.words[0], self.read[e.index]) for e in self.events if e.index in self.read)
        values += [(name, self.written[self.orders[name][-1]]) for name in observed]
        return ' '.join(f'{name}={value}' for name, value in values)


def executions(events):
    """Every candidate; those in which a compare-exchange both stores and does not are sorted out by evaluate."""
    loads = [e for e in events if e.kind in ('load', 'add', 'cas')]
    swaps = [e for e in events if e.kind == 'cas']
    for succeeded in itertools.product((False, True), repeat=len(swaps)):
        failed = {e.index for e, won in zip(swaps, succeeded) if not won}
        stores = {}
        for event in events:
            if event.kind in ('store', 'add', 'cas') and event.index not in failed:
                stores.setdefault(event.place, []).append(event.index)
        choices = [[i for i in stores[e.place] if i != e.index] for e in loads]
        arrangements = [[(first, *rest) for rest in itertools.permutations(others)]
                        for first, *others in stores.values()]
        for chosen in itertools.product(*choices):
            reads_from = {e.index: store for e, store in zip(loads, chosen)}
            for arrangement in itertools.product(*arrangements):
                yield Execution(events, reads_from, dict(zip(stores, arrangement)))


def outcomes(text):
    """(allowed, allowed by C++20 but by no interleaving), each a sorted list of texts."""
    events, observed = parse(text)
    modelled, every = set(), set()
    for execution in executions(events):
        if not execution.evaluate():
            continue
        if execution.is_consistent(cycles_allowed=True):
            every.add(execution.outcome(observed))
            if execution.is_consistent(cycles_allowed=False):
                modelled.add(execution.outcome(observed))
    return sorted(modelled), sorted(every - modelled)


def with_outcomes(text):
    """The file's text with the lines `outcome` that the axioms give."""
    kept = [line for line in text.splitlines() if not line.startswith('outcome ')]
    modelled, others = outcomes(text)
    kept += [f'outcome allowed {outcome}' for outcome in modelled]
    kept += [f'outcome not_modelled {outcome}' for outcome in others]
    return '\n'.join(kept) + '\n'


def main(arguments):
    write = '--write' in arguments
    for path in (a for a in arguments if a != '--write'):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        if write:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(with_outcomes(text))
        else:
            print(with_outcomes(text), end='')


if __name__ == '__main__':
    main(sys.argv[1:])
