"""The part of an adapter that is the same for every engine with a Python front end.

    core.serve(MyEngine)

speaks the protocol (proptests/protocol/README.md) at standard input and output. An engine is a class with HELLO
(the keys of the hello line), OPS (name of a statement -> function of its attributes and operands) and the
methods that Engine lists. One object of it runs one Program.
"""

import math
import os
import sys

from autograd.program import example_reader


class Refused(Exception):
    """The engine does not do this: the Program is skipped."""


class ProgramError(Exception):
    """An error that the Program's rules name; `error` is its class."""

    def __init__(self, error, message):
        super().__init__(message)
        self.error = error


class Engine:
    """What an engine gives. `self.values` maps names (with %) to its tensors, in the order of the Program."""

    HELLO = {}
    OPS = {}
    # The ops of INDICES that can give both results -> functions that do.
    PAIRS = {}
    # Further ways to read a gradient: word -> function of the engine and the tensor, which returns what data() does.
    ACCESSORS = {}

    def __init__(self):
        self.values = {}
        self.recording = True

    def record(self, enabled):
        """Begins or ends a region of kind=no_grad. Not called between Programs: what an engine leaves behind shows."""
        self.recording = enabled

    def enter(self, kind, attributes):
        """Begins a region of another kind than no_grad and try; returns what ends it."""
        raise Refused('a region of kind=' + kind)

    def leaf(self, name, dtype, shape, data, requires_grad):
        raise NotImplementedError

    def statement(self, name, results, operands, attributes):
        """A statement that is not in OPS."""
        if name not in ('backward', 'grad'):
            raise Refused(name)
        seeds, inputs = (attributes.get(key) and [self.values.get(v) for v in attributes[key]]
                         for key in ('seeds', 'inputs'))
        roots = [self.values[v] for v in operands]
        gradients = self.call(name, roots, seeds or None, inputs, attributes)
        self.values.update(zip(results, gradients or ()))

    def call(self, name, roots, seeds, inputs, attributes):
        """backward, or grad, which returns gradients; None among the seeds: none for that root."""
        raise Refused(name)

    def data(self, tensor):
        """(dtype, shape, elements in row-major order)."""
        raise NotImplementedError

    def copy(self, tensor):
        """A copy of a gradient that fill() can write; None: the engine has none."""

    def fill(self, tensor, number):
        """Writes the number into each element of a copy, and where WRITES is set of a .grad, in place."""
        raise NotImplementedError

    WRITES = False

    def has_elements(self, tensor):
        """Whether fill() can write a .grad in place."""
        return True

    def facts(self, tensor):
        """More tokens of the value's line, such as version=1."""
        return ''

    def grad(self, name):
        """The .grad of a value, or None."""
        raise NotImplementedError

    def error_class(self, error):
        """The class of an exception of the engine."""
        return 'internal'


# Ops whose functions give a sequence: all parts of a tensor, one a result.
PARTS = ('unbind', 'split', 'chunk')

# Ops that may give the indices of what they pick as a second result -> those that give these alone.
INDICES = {'sort': 'argsort', 'max': 'argmax', 'min': 'argmin', **{op: f'{op}_indices' for op in (
    'topk', 'cummax', 'cummin', *(f'{kind}max_pool{dims}d' for kind in ('', 'adaptive_') for dims in (1, 2, 3)))}}

# What the core runs itself, and calls.
STATEMENTS = ['leaf', 'backward', 'grad', 'begin', 'end', 'expect']


def hello(name, version, dtypes, ops, **more):
    """HELLO of an engine that runs STATEMENTS and `ops`."""
    return {'name': name, 'version': version.split('+')[0], 'dtypes': ','.join(dtypes),
            'ops': ','.join([*STATEMENTS, *ops]), **more}


_MASK = (1 << 64) - 1


def leaf_data(attributes):
    """The elements of a leaf: data=, fill= or seed= (splitmix64), zeros without."""
    dtype, shape = attributes['type']
    count = math.prod(shape)
    if 'data' in attributes:
        return attributes['data']
    if 'seed' not in attributes:
        return attributes.get('fill', [0]) * count
    state, elements = attributes['seed'] & _MASK, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
        top = z >> 59
        value = z % 2 if dtype == 'bool' else 0 if top < 8 else (-4, -3, -2, -1, 1, 2, 3, 4)[top % 8]
        elements.append(value)
    return elements


def _text(dtype, shape, elements):
    if not elements:
        return f' type={dtype}[{",".join(map(str, shape))}]'
    # The shortest decimals that read back as the same floats; 3.0 as 3.
    text = (','.join(map(repr, elements)) + ',').replace('.0,', ',')
    if dtype == 'bool':
        text = text.replace('True', '1').replace('False', '0')
    return f' type={dtype}[{",".join(map(str, shape))}] data={text[:-1]}'


class _Accessors:
    """The lines of accessors that show something else than the first read, or fail."""

    def __init__(self, engine):
        self.engine, self.lines = engine, []

    def expect(self, subject, word, expected, read):
        try:
            shown = _text(*read())
        except Exception as thrown:  # as a user would see it
            shown = f' error {" ".join(str(thrown).split())}'[:1000]
        if shown != expected:
            self.lines.append(f'accessor {subject} by={word}{shown}')
        return shown == expected

    def read(self, subject, tensor):
        engine = self.engine
        dtype, shape, elements = engine.data(tensor)
        first = _text(dtype, shape, elements)
        for word, accessor in engine.ACCESSORS.items():
            self.expect(subject, word, first, lambda: accessor(engine, tensor))
        copied = engine.copy(tensor)
        if copied is not None:
            engine.fill(copied, 1)
            self.expect(subject, 'write_clone', _text(dtype, shape, [1.0] * len(elements)),
                        lambda: engine.data(copied))
        self.expect(subject, 'again', first, lambda: engine.data(tensor))

    def write(self, values, grads):
        """Writes a number of its own into each .grad, then looks what else has changed: `values` and `grads` have
        (subject, tensor, its data)."""
        engine, marked = self.engine, []

        def filled(tensor, number):
            engine.fill(tensor, number)
            return engine.data(tensor)

        for number, (subject, tensor, (dtype, shape, elements)) in enumerate(grads, 1):
            data = dtype, shape, [float(number)] * len(elements)
            if self.expect(subject, 'write', _text(*data), lambda: filled(tensor, number)):
                marked.append((subject, tensor, data))
        for subject, tensor, data in values + marked:
            self.expect(subject, 'after_writes', _text(*data), lambda: engine.data(tensor))


class _Run:
    """One Program on one engine: statements, regions, errors."""

    def __init__(self, make_engine, program):
        self.gradients = set()  # values that are gradients
        self.engine, self.statements = make_engine(), list(example_reader.read(program))
        self.regions, self.survived, self.error = [], [], None

    def run(self):
        try:
            self.walk()
        finally:
            while self.regions:
                self.leave()

    def walk(self):
        at = 0
        while at < len(self.statements):
            try:
                self.step(*self.statements[at])
            except Refused:
                raise
            except Exception as thrown:  # whatever the engine raises is an observation
                known = isinstance(thrown, ProgramError)
                error = thrown.error if known else self.engine.error_class(thrown)
                line = f'{error} {at} {" ".join(str(thrown).split())}'[:1000]
                if not any(kind == 'try' for kind, _, _ in self.regions):
                    self.error = 'error ' + line
                    return
                self.survived.append('survived ' + line)
                at = self.recover(at)
            at += 1

    def leave(self):
        kind, recording, end = self.regions.pop()
        end()
        self.engine.record(recording)
        return kind

    def step(self, name, results, operands, attributes):
        engine, values = self.engine, self.engine.values
        if name in ('grad', 'read_grad'):
            self.gradients.update(results)
        if name in engine.OPS:
            tensors = [values.get(v) for v in operands]
            if any(t is None for t in tensors):
                raise ProgramError('undefined', 'an undefined value')
            both = name in INDICES and len(results) > 1
            if both and name not in engine.PAIRS:
                raise Refused('indices beside the values')
            result = (engine.PAIRS if both else engine.OPS)[name](attributes, *tensors)
            values.update(zip(results, result if both or name in PARTS else (result,)))
        elif name == 'leaf':
            if attributes.get('device', 'cpu') != 'cpu':
                raise Refused('a leaf on a device')
            dtype, shape = attributes['type']
            values[results[0]] = engine.leaf(
                results[0], dtype, shape, leaf_data(attributes), attributes.get('grad', False))
        elif name == 'begin':
            kind = attributes['kind']
            end = (lambda: None) if kind in ('no_grad', 'try') else engine.enter(kind, attributes)
            self.regions.append((kind, engine.recording, end))
            engine.record(engine.recording and kind != 'no_grad')
        elif name == 'end':
            self.leave()
        elif name != 'expect':
            if any(values.get(v) is None for v in operands):
                raise ProgramError('undefined', 'an undefined value')
            engine.statement(name, results, operands, attributes)

    def recover(self, at):
        """The statement that ends the innermost region of kind=try, which is left."""
        depth = 1
        while self.leave() != 'try':
            depth += 1
        while depth:
            at += 1
            depth += {'begin': 1, 'end': -1}.get(self.statements[at][0], 0)
        return at

    def lines(self):
        engine, accessors, values, grads = self.engine, _Accessors(self.engine), [], []
        for name, tensor in engine.values.items():
            if tensor is None:
                continue
            values.append((f'{name} of=value', tensor, engine.data(tensor)))
            yield f'value {name}{_text(*values[-1][2])}{engine.facts(tensor)}'
            if name in self.gradients:
                accessors.read(f'{name} of=value', tensor)
            gradient = engine.grad(name)
            if gradient is not None:
                grads.append((f'{name} of=grad', gradient, engine.data(gradient)))
                yield f'grad {name}{_text(*grads[-1][2])}'
                accessors.read(f'{name} of=grad', gradient)
        if engine.WRITES:
            read = [grad for grad in grads if not engine.has_elements(grad[1])]
            accessors.write(values + read, [grad for grad in grads if engine.has_elements(grad[1])])
        yield from accessors.lines
        yield from self.survived
        if self.error:
            yield self.error


def run(make_engine, program):
    """The body of `ok` for a Program; raises Refused."""
    execution = _Run(make_engine, program)
    execution.run()
    return ''.join(line + '\n' for line in execution.lines())


def serve(make_engine):
    """Answers until `bye` or the end of the input. What the engine prints goes to standard error."""
    out = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)
    while line := sys.stdin.buffer.readline().decode().split():
        if line[0] == 'bye':
            return
        if line[0] == 'hello':
            hello = ' '.join(f'{key}={value}' for key, value in make_engine.HELLO.items())
            out.write(f'hello 1 {hello}\n'.encode())
        else:
            number, size = line[1], int(line[2])
            program = sys.stdin.buffer.read(size).decode()
            try:
                body = run(make_engine, program).encode()
                out.write(f'ok {number} {len(body)}\n'.encode() + body)
            except Refused as refused:
                out.write(f'skip {number} {refused}\n'.encode())
            except Exception as fault:
                out.write(f'error {number} {" ".join(repr(fault).split())[:500]}\n'.encode())
        out.flush()
