"""Factors of dropout go by the published words of Philox."""

import unittest

from tools.adapters.python import dropout


class DropoutTest(unittest.TestCase):
    def test_published_words(self):
        self.assertEqual(dropout.philox((0, 0, 0, 0), (0, 0)), (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8))
        ones = 0xffffffff
        self.assertEqual(dropout.philox((ones,) * 4, (ones,) * 2), (0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd))

    def test_factors(self):
        self.assertEqual(dropout.factors({'by': 0.5, 'seed': 0}, 4), [0, 2, 2, 2])
        self.assertEqual(dropout.factors({'by': 0.5, 'seed': 0}, 3), [0, 2, 2])
        self.assertEqual(dropout.factors({'by': 0.75, 'seed': 0}, 4), [0, 4, 0, 0])
        self.assertEqual(dropout.factors({'by': 0, 'seed': -1}, 9), [1] * 9)
        self.assertEqual(dropout.factors({'by': 0.5, 'seed': 0}, 0), [])


if __name__ == '__main__':
    unittest.main()
