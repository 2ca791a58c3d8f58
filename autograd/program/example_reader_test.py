"""The reader understands every canonical Program: written back from its typed values, each is the same text."""

import math
import sys
import unittest

from autograd.program import example_reader


def element_text(value):
    if isinstance(value, int):
        return str(value)
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value == int(value) and abs(value) < 2**53:
        return ('-' if math.copysign(1, value) < 0 else '') + str(abs(int(value)))
    mantissa, exponent = value.hex().split('p')
    return mantissa.rstrip('0').rstrip('.') + 'p' + exponent


def argument_text(key, value):
    if key == 'type':
        return '%s[%s]' % (value[0], ','.join(map(str, value[1])))
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return element_text(value)
    if isinstance(value, list):
        empty = 'none' if key in ('seeds', 'inputs') else 'scalar'
        return ','.join(e if isinstance(e, str) else element_text(e) for e in value) or empty
    return str(value)


def write(statements):
    lines = ['twingrad 1']
    for name, results, operands, attributes in statements:
        tokens = [','.join(results), '='] if results else []
        tokens += [name] + operands
        tokens += ['%s=%s' % (key, argument_text(key, value)) for key, value in attributes.items()]
        lines.append(' '.join(tokens))
    return '\n'.join(lines) + '\n'


class ExampleReaderTest(unittest.TestCase):

    def test_typed_values(self):
        text = ('twingrad 1\n# a comment\n\n'
                '%x = leaf type=f64[2,1] data=0x1.8p+0,-inf grad=1 device=dev:0\n'
                '%y = reshape %x shape=scalar\n'
                '%p = pad %x pads=1,0\n'
                '%v = conv1d %x %y stride=2 groups=2\n'
                '%c = clamp %y min=0 max=inf\n'
                '%s = sort %x dim=0 descending=1\n'
                'backward %x %y seeds=_,%x inputs=none\n')
        self.assertEqual(list(example_reader.read(text)), [
            ('leaf', ['%x'], [], {
                'type': ('f64', [2, 1]),
                'data': [1.5, -math.inf],
                'grad': True,
                'device': 'dev:0'
            }),
            ('reshape', ['%y'], ['%x'], {'shape': []}),
            ('pad', ['%p'], ['%x'], {'pads': [1, 0]}),
            ('conv1d', ['%v'], ['%x', '%y'], {'stride': [2], 'groups': 2}),
            ('clamp', ['%c'], ['%y'], {'min': 0.0, 'max': math.inf}),
            ('sort', ['%s'], ['%x'], {'dim': 0, 'descending': True}),
            ('backward', [], ['%x', '%y'], {'seeds': ['_', '%x'], 'inputs': []}),
        ])

    def test_every_example(self):
        canonical = [path for path in PATHS if path.endswith('.twin')]
        self.assertGreater(len(canonical), 20)
        for path in canonical:
            with open(path) as file:
                text = file.read()
            with self.subTest(path):
                self.assertEqual(write(example_reader.read(text)), text)


if __name__ == '__main__':
    PATHS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
