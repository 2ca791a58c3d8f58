"""Tests what hunt.py reads of a fuzzer's output, and its rows."""

import unittest

from fuzz import hunt

_LOG = '''INFO: Running with entropic power schedule (0xFF, 100).
#2\tINITED exec/s: 0 rss: 75Mb
[fuzz] found: lost wake-up, after 1234 runs in 5.6 s of processor time
[fuzz] lost wake-up under a schedule of 2 preemptions, 40 decisions
'''


class HuntTest(unittest.TestCase):

    def test_reads_what_was_found(self):
        self.assertEqual(hunt.found_in(_LOG.splitlines()), hunt.Found('lost wake-up', 1234, 5.6))
        self.assertIsNone(hunt.found_in(_LOG.splitlines()[:2]))

    def test_reads_no_further(self):
        lines = iter(_LOG.splitlines())
        hunt.found_in(lines)
        self.assertEqual(next(lines), _LOG.splitlines()[3])

    def test_a_row_says_what_was_found(self):
        self.assertEqual(hunt.row('late_store', hunt.Found('lost wake-up', 12, 3.44), 60),
                         '| late_store | lost wake-up | 12 | 3.4 |')
        self.assertEqual(hunt.row('late_store', None, 60), '| late_store | not in 60 s | | |')


if __name__ == '__main__':
    unittest.main()
