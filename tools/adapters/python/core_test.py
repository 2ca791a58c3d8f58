"""The core over a small engine: scalars with reverse-mode gradients of add and mul."""

import io
import subprocess
import sys
import unittest

from tools.adapters.python import core

PROGRAM = '''twingrad 1
%x = leaf type=f64[2] data=3,0x1.8p+1 grad=1
%y = add %x %x
'''


class Doubling(core.Engine):
    HELLO = {'name': 'test', 'version': '1', 'ops': 'leaf,add', 'dtypes': 'f64'}
    OPS = {'add': lambda a, x, y: [p + q for p, q in zip(x, y)]}

    def leaf(self, name, dtype, shape, data, requires_grad):
        return [float(x) for x in data]

    def statement(self, name, results, operands, attributes):
        if name == 'backward':
            raise ValueError('two\nlines')
        super().statement(name, results, operands, attributes)

    def data(self, tensor):
        return 'f64', [len(tensor)], tensor

    def grad(self, name):
        return self.values[name] if self.values[name][0] == 3 else None

    def error_class(self, error):
        return 'freed'


class CoreTest(unittest.TestCase):
    def test_values_and_gradients(self):
        self.assertEqual(core.run(Doubling, PROGRAM),
                         'value %x type=f64[2] data=3,3\ngrad %x type=f64[2] data=3,3\n'
                         'value %y type=f64[2] data=6,6\n')

    def test_each_accessor_that_is_wrong_is_told(self):
        class Read(Doubling):
            ACCESSORS = {'list': lambda engine, x: engine.data(list(x)), 'sum': lambda engine, x: ('f64', [], [sum(x)])}
            WRITES = True

            def data(self, tensor):
                return super().data(list(tensor))

            def copy(self, tensor):
                return list(tensor)

            def fill(self, tensor, number):
                tensor[:] = [float(number)] * len(tensor)

            def grad(self, name):
                return self.grads.setdefault(name, [1.5, 2.5])

            grads = {}

        def told(**changes):
            engine = type('Planted', (Read,), {'grads': {}, 'OPS': {'add': lambda a, x, y: x}, **changes})
            lines = core.run(engine, PROGRAM.replace('3,0x', '4,0x')).splitlines()
            return [line for line in lines if line.startswith('accessor') and ' by=sum ' not in line]

        right = {'OPS': Doubling.OPS}
        self.assertEqual(told(**right), [])
        wrong = {'list': lambda engine, x: engine.data(x[:1] + x[:1])}
        self.assertEqual(told(ACCESSORS=wrong, **right)[0], 'accessor %x of=grad by=list type=f64[2] data=1.5,1.5')
        fails = {'list': lambda engine, x: engine.data(x.none)}
        self.assertIn("by=list error 'list' object has no", told(ACCESSORS=fails, **right)[0])
        shares = told(copy=lambda engine, x: x, **right)
        self.assertEqual(shares[0], 'accessor %x of=grad by=again type=f64[2] data=1,1')
        refuses = told(fill=lambda engine, x, number: None, **right)
        for word in 'write_clone', 'write':
            self.assertIn(f'accessor %x of=grad by={word} type=f64[2] data=1.5,2.5', refuses)
        one = [1.5, 2.5]
        shared = told(grad=lambda engine, name: one, **right)
        self.assertIn('accessor %x of=grad by=after_writes type=f64[2] data=2,2', shared)
        aliased = told(grad=lambda engine, name: engine.values[name], **right)
        self.assertIn('accessor %x of=value by=after_writes type=f64[2] data=1,1', aliased)

    def test_elements_are_written_exactly(self):
        program = 'twingrad 1\n%x = leaf type=f64[5] data=0.5,-0,nan,-inf,1e300\n'
        self.assertEqual(core.run(Doubling, program),
                         'value %x type=f64[5] data=0.5,-0,nan,-inf,1e+300\n')

    def test_errors_end_the_program(self):
        body = core.run(Doubling, PROGRAM + 'backward %y\n%z = add %y %y\n')
        self.assertTrue(body.endswith('\nerror freed 2 two lines\n'), body)
        self.assertNotIn('%z', body)

    def test_an_error_ends_its_region_alone(self):
        body = core.run(Doubling, PROGRAM + 'begin kind=try\nbegin kind=no_grad\nbackward %y\nbegin kind=try\n'
                        'end\nend\n%n = add %x %x\nend\n%z = add %y %y\nbackward %z\n%w = add %y %y\n')
        self.assertIn('value %z type=f64[2] data=12,12\nsurvived freed 4 two lines\nerror freed 11 two lines\n', body)
        self.assertNotIn('%n', body)
        self.assertNotIn('%w', body)

    def test_regions_end_as_they_began(self):
        seen = []

        class Recorded(Doubling):
            def record(self, enabled):
                super().record(enabled)
                seen.append(enabled)

        core.run(Recorded, PROGRAM + 'begin kind=no_grad\nbegin kind=try\nbackward %y\nend\nend\n'
                 'begin kind=try\nend\n')
        self.assertEqual(seen, [False, False, False, True, True, True])

    def test_what_is_not_known_is_refused(self):
        with self.assertRaises(core.Refused):
            core.run(Doubling, PROGRAM + 'begin kind=anomaly\nend\n')

    def test_anomaly_mode_ends_with_its_region(self):
        seen = []

        class Recorded(Doubling):
            def enter(self, kind, attributes):
                seen.append(True)
                return lambda: seen.append(False)

        core.run(Recorded, PROGRAM + 'begin kind=anomaly\nbegin kind=anomaly\nend\nend\n'
                 'begin kind=try\nbegin kind=anomaly\nbackward %y\nend\nend\nbegin kind=anomaly\nbackward %y\nend\n')
        self.assertEqual(seen, [True, True, False, False, True, False, True, False])
        with self.assertRaises(core.Refused):
            core.run(Recorded, PROGRAM + 'begin kind=anomaly\nunknown %y\n')
        self.assertFalse(seen[-1])

    def test_seeds_are_those_of_the_programs(self):
        data = core.leaf_data({'type': ('f64', [6]), 'seed': 1})
        self.assertEqual(len(data), 6)
        self.assertTrue(set(data) <= {-4, -3, -2, -1, 0, 1, 2, 3, 4}, data)
        self.assertEqual(core.leaf_data({'type': ('i64', [2]), 'fill': [7]}), [7, 7])
        self.assertEqual(core.leaf_data({'type': ('f64', [])}), [0])

    def test_serves_the_pipe(self):
        script = ('from tools.adapters.python import core, core_test\n'
                  'print("noise")\ncore.serve(core_test.Doubling)\n')
        case = 'case 1 %d\n%s' % (len(PROGRAM), PROGRAM)
        run = subprocess.run([sys.executable, '-c', script.replace('print("noise")\n', '')],
                             input=f'hello 1\n{case}bye\n'.encode(), capture_output=True, check=True)
        out = io.BytesIO(run.stdout)
        self.assertEqual(out.readline(), b'hello 1 name=test version=1 ops=leaf,add dtypes=f64\n')
        word, number, size = out.readline().split()
        self.assertEqual((word, number), (b'ok', b'1'))
        self.assertEqual(len(out.read()), int(size))


if __name__ == '__main__':
    unittest.main()
