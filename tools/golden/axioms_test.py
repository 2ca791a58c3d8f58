"""The outcomes in golden/litmus are those of the axioms, and the axioms know the famous tests."""

import glob
import unittest

from tools.golden import axioms

ORDERS = ('relaxed', 'seq_cst')


def shown(*lines):
    return axioms.outcomes('\n'.join(lines))[0]


class AxiomsTest(unittest.TestCase):

    def test_the_files_are_up_to_date(self):
        files = sorted(glob.glob('golden/litmus/*.litmus'))
        self.assertGreaterEqual(len(files), 25)
        for path in files:
            with self.subTest(path), open(path, encoding='utf-8') as file:
                text = file.read()
                self.assertEqual(text, axioms.with_outcomes(text),
                                 f'repeat with: python3 tools/golden/axioms.py --write {path}')

    def test_store_buffering_ends_with_sequential_consistency(self):
        for order in ORDERS:
            outcomes = shown('thread', f'store x 1 {order}', f'load a y {order}',
                             'thread', f'store y 1 {order}', f'load b x {order}')
            self.assertEqual('a=0 b=0' in outcomes, order == 'relaxed')

    def test_read_modify_writes_lose_nothing(self):
        self.assertEqual(['a=0 b=1 x=2', 'a=1 b=0 x=2'],
                         shown('thread', 'add a x 1 relaxed', 'thread', 'add b x 1 relaxed', 'observe x'))

    def test_load_buffering_is_allowed_but_not_by_an_interleaving(self):
        _, others = axioms.outcomes('thread\nload a x relaxed\nstore y 1 relaxed\n'
                                    'thread\nload b y relaxed\nstore x 1 relaxed\n')
        self.assertEqual(['a=1 b=1'], others)

    def test_a_race_needs_two_unordered_accesses(self):
        self.assertEqual(['race'], shown('thread', 'put c', 'thread', 'get c'))
        self.assertEqual([''], shown('thread', 'put c', 'get c'))


if __name__ == '__main__':
    unittest.main()
