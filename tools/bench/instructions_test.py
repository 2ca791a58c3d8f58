"""Instructions a node are those of the golden table; and what reads and compares them works."""

import pathlib
import sys
import unittest

from tools.bench import instructions

_HERE = pathlib.Path(__file__).parent

_PROFILE = '''fn=(1) CountPush
16 100
+3 20
cfn=(2) std::push_heap
calls=10 0
* 500

fn=(2)
5 500

fn=(1)
20 1
'''


class ReadingTest(unittest.TestCase):

    def test_what_a_function_calls_counts(self):
        self.assertEqual(instructions.inclusive(_PROFILE), {'CountPush': 621})

    def test_a_table_is_read_as_it_was_written(self):
        counts = {step: 10.0 + i for i, step in enumerate(instructions.STEPS)}
        self.assertEqual(instructions.parse(instructions.as_table('gcc 12', counts)), ('gcc 12', counts))

    def test_only_what_is_beyond_the_margin_differs(self):
        golden = dict.fromkeys(instructions.STEPS, 100.0)
        self.assertEqual(instructions.differences(golden, {**golden, 'pop': 101.9, 'mul': 98.1}), [])
        worse, better = instructions.differences(golden, {**golden, 'pop': 102.1, 'mul': 97.9})
        self.assertRegex(worse, r'^\[bench\] pop: 102.1 instructions a node, the table has 100.0; ')
        self.assertRegex(better, r'^\[bench\] mul: 97.9 ')

    def test_a_step_that_is_not_in_the_table_differs(self):
        golden = dict.fromkeys(instructions.STEPS[1:], 100.0)
        self.assertEqual(len(instructions.differences(golden, dict.fromkeys(instructions.STEPS, 100.0))), 1)


class GoldenTest(unittest.TestCase):

    def test_counts_are_those_of_the_table(self):
        if SKIPS:
            self.skipTest('instrumented code is not counted')
        named, golden = instructions.parse((_HERE / 'instructions.txt').read_text())
        compiler, counts = instructions.count(str(_HERE / 'instructions_counted'))
        print(instructions.as_table(compiler, counts))
        if compiler != named:
            self.skipTest(f'the table holds for {named}, this was compiled by {compiler}')
        self.assertEqual(instructions.differences(golden, counts), [])


if __name__ == '__main__':
    SKIPS = 'skip_instrumented' in sys.argv
    unittest.main(argv=sys.argv[:1])
