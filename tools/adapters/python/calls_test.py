"""Tables of ops hand attributes over as each kind of call says; the module here returns what it was given."""

import unittest

from tools.adapters.python import calls, core


class Tensor:
    ndim = 2


class Module:
    """Every function returns its name, positional arguments and keywords."""

    def __getattr__(self, name):
        return lambda *x, **more: (name, *x, more)


X = Tensor()


class CallsTest(unittest.TestCase):
    def called(self, kind, attributes, *operands, name='f', **more):
        return calls.table(Module(), **more, **{kind: name})['f'](attributes, *operands)

    def test_each_kind_of_call(self):
        self.assertEqual(self.called('plain', {}, 1, 2), ('f', 1, 2, {}))
        self.assertEqual(self.called('dim', {'dim': 3}, 1, 2), ('f', 1, 3, 2, {}))
        self.assertEqual(self.called('dims', {'dims': [1, 0]}, 5), ('f', 5, (1, 0), {}))
        self.assertEqual(self.called('dims', {}, 5), ('f', 5, (), {}))
        self.assertEqual(self.called('swap', {'dims': [1, 0]}, 5), ('f', 5, 1, 0, {}))
        self.assertEqual(self.called('shape', {'shape': [2]}, 5), ('f', 5, [2], {}))
        self.assertEqual(self.called('listed', {'dim': 0}, 5, 6), ('f', (5, 6), 0, {}))
        self.assertEqual(self.called('loss', {}, 5, 6), ('f', 5, 6, {'reduction': 'mean'}))
        self.assertEqual(self.called('along', {'dim': 1}, 5), ('f', 5, {'dim': 1, 'keepdim': False}))
        self.assertEqual(self.called('sort', {'dim': 1, 'descending': True}, 5),
                         ('f', 5, {'dim': 1, 'descending': True, 'stable': True}))

    def test_reductions_over_all_and_over_some(self):
        self.assertEqual(self.called('reduce', {}, X), ('f', X, {}))
        self.assertEqual(self.called('reduce', {'keepdim': True}, X), ('f', X, {'dim': (0, 1), 'keepdim': True}))
        self.assertEqual(self.called('over', {}, X), ('f', X, {'dim': (0, 1), 'keepdim': False}))
        self.assertEqual(self.called('over', {'dims': [1]}, X), ('f', X, {'dim': (1,), 'keepdim': False}))
        self.assertEqual(self.called('each', {}, X), ('f', X, {}))
        self.assertEqual(self.called('each', {'dims': [0, 1]}, X),
                         ('f', ('f', X, {'dim': 1, 'keepdim': False}), {'dim': 0, 'keepdim': False}))

    def test_names_of_functions_and_of_keywords(self):
        self.assertEqual(self.called('plain', {}, 1, name='f:g'), ('g', 1, {}))
        self.assertEqual(self.called('along', {'dim': 1}, 5, names=('axis', 'keepdims')),
                         ('f', 5, {'axis': 1, 'keepdims': False}))

    def test_several_results_and_refusals(self):
        self.assertEqual(calls.item(1, calls.table(Module(), plain='f'))['f']({}, 7), 7)
        self.assertEqual(calls.item(2, calls.table(Module(), along='f'), str)['f']({'dim': 0}, 7),
                         {'dim': 0, 'keepdim': False})
        self.assertEqual(calls.item(1, calls.table(Module(), along='f'), str)['f']({'dim': 0}, 7), '7')
        self.assertEqual(calls.span({'stop': 4}), (0, 4, 1))
        self.assertEqual(calls.only(bool, max)(1, 2), 2)
        with self.assertRaises(core.Refused):
            calls.only(bool, max)(0, 2)


if __name__ == '__main__':
    unittest.main()
