"""Files go from Python's safetensors through this library and back, unchanged.

Skips, with the reason, where Python has no `safetensors` with numpy.
"""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    from safetensors import safe_open
    from safetensors.numpy import save_file
    MISSING = None
except ImportError as error:
    MISSING = f'{error}; pip install numpy safetensors'

EXCHANGE = sys.argv.pop(1) if len(sys.argv) > 1 else 'exchange'


class ExchangeTest(unittest.TestCase):

    @unittest.skipIf(MISSING, MISSING)
    def test_tensors_and_notes_come_back_as_they_were(self) -> None:
        tensors = {
            'scalar': numpy.array(2.5),
            'matrix': numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
            'empty': numpy.zeros((0, 3)),
            'half': numpy.array([0.5, 65504], dtype=numpy.float16),
            'places': numpy.array([-1, 2**30], dtype=numpy.int32),
            'counts': numpy.array([-1, 2**62], dtype=numpy.int64),
            'mask ü "quoted"': numpy.array([True, False, True]),
        }
        with tempfile.TemporaryDirectory() as folder:
            given, returned = os.path.join(folder, 'given'), os.path.join(folder, 'returned')
            save_file(tensors, given, metadata={'epoch': '7'})
            subprocess.run([EXCHANGE, given, returned], check=True)
            with safe_open(returned, framework='numpy') as file:
                self.assertEqual(file.metadata(), {'epoch': '7'})
                self.assertEqual(sorted(file.keys()), sorted(tensors))
                for name, tensor in tensors.items():
                    back = file.get_tensor(name)
                    self.assertEqual(back.dtype, tensor.dtype)
                    numpy.testing.assert_array_equal(back, tensor)

    @unittest.skipIf(MISSING, MISSING)
    def test_types_that_the_library_lacks_are_refused_by_name(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            given = os.path.join(folder, 'given')
            save_file({'small': numpy.zeros(2, dtype=numpy.int8)}, given)
            done = subprocess.run([EXCHANGE, given, given + '2'], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("tensor 'small' has type I8", done.stderr)
            self.assertFalse(os.path.exists(given + '2'))


if __name__ == '__main__':
    unittest.main()
