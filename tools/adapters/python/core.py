"""The part of an adapter that is the same for every engine with a Python front end.

    core.serve(MyEngine)

speaks the protocol (../protocol/README.md) at standard input and output. An engine is a class with HELLO
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
    """What an engine gives. `self.values` maps names (with %) to its tensors."""

    HELLO = {}
    OPS = {}

    def __init__(self):
        self.values = {}

    def leaf(self, dtype, shape, data, requires_grad):
        raise NotImplementedError

    def statement(self, name, results, operands, attributes):
        """A statement that is not in OPS: calls, regions, reads of gradients."""
        raise Refused(name)

    def data(self, tensor):
        """(dtype, shape, elements in row-major order)."""
        raise NotImplementedError

    def facts(self, tensor):
        """More tokens of the value's line, such as version=1."""
        return ''

    def grad(self, tensor):
        """Its .grad, or None."""
        raise NotImplementedError

    def error_class(self, error):
        """The class of an exception of the engine."""
        return 'internal'


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


def _element(value):
    if isinstance(value, float):
        if value == int(value) if math.isfinite(value) else False:
            if abs(value) < 2 ** 53:
                return '-0' if value == 0 and math.copysign(1, value) < 0 else str(int(value))
        return value.hex() if math.isfinite(value) else str(value)
    return str(int(value))


def _tensor(engine, tensor):
    dtype, shape, elements = engine.data(tensor)
    text = f' type={dtype}[{",".join(map(str, shape))}]'
    return text + (' data=' + ','.join(map(_element, elements)) if elements else '')


def run(make_engine, program):
    """The body of `ok` for a Program; raises Refused."""
    engine, lines, error = make_engine(), [], None
    for at, (name, results, operands, attributes) in enumerate(example_reader.read(program)):
        try:
            missing = [v for v in operands if engine.values.get(v) is None]
            if name == 'leaf':
                dtype, shape = attributes['type']
                engine.values[results[0]] = engine.leaf(
                    dtype, shape, leaf_data(attributes), attributes.get('grad', False))
            elif missing:
                raise ProgramError('undefined', missing[0] + ' is undefined')
            elif name in engine.OPS:
                tensors = [engine.values[v] for v in operands]
                result = engine.OPS[name](attributes, *tensors)
                if results:
                    engine.values[results[0]] = result
            elif name != 'expect':
                engine.statement(name, results, operands, attributes)
        except ProgramError as known:
            error = f'error {known.error} {at} {known}'
        except Refused:
            raise
        except Exception as unknown:  # whatever the engine raises is an observation
            error = f'error {engine.error_class(unknown)} {at} ' + ' '.join(str(unknown).split())
        if error:
            break
    for name, tensor in engine.values.items():
        if tensor is None:
            continue
        lines.append(f'value {name}{_tensor(engine, tensor)}{engine.facts(tensor)}')
        gradient = engine.grad(tensor)
        if gradient is not None:
            lines.append(f'grad {name}{_tensor(engine, gradient)}')
    return ''.join(line + '\n' for line in lines + ([error[:1000]] if error else []))


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
