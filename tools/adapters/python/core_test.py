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

    def leaf(self, dtype, shape, data, requires_grad):
        return [float(x) for x in data]

    def statement(self, name, results, operands, attributes):
        if name == 'backward':
            raise ValueError('two\nlines')
        super().statement(name, results, operands, attributes)

    def data(self, tensor):
        return 'f64', [len(tensor)], tensor

    def grad(self, tensor):
        return tensor if tensor[0] == 3 else None

    def error_class(self, error):
        return 'freed'


class CoreTest(unittest.TestCase):
    def test_values_and_gradients(self):
        self.assertEqual(core.run(Doubling, PROGRAM),
                         'value %x type=f64[2] data=3,3\ngrad %x type=f64[2] data=3,3\n'
                         'value %y type=f64[2] data=6,6\n')

    def test_elements_are_written_exactly(self):
        program = 'twingrad 1\n%x = leaf type=f64[5] data=0.5,-0,nan,-inf,9007199254740993\n'
        self.assertEqual(core.run(Doubling, program),
                         'value %x type=f64[5] data=0x1.0000000000000p-1,-0,nan,-inf,'
                         '0x1.0000000000000p+53\n')

    def test_errors_end_the_program(self):
        body = core.run(Doubling, PROGRAM + 'backward %y\n%z = add %y %y\n')
        self.assertTrue(body.endswith('\nerror freed 2 two lines\n'), body)
        self.assertNotIn('%z', body)

    def test_what_is_not_known_is_refused(self):
        with self.assertRaises(core.Refused):
            core.run(Doubling, PROGRAM + 'begin kind=no_grad\nend\n')

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
