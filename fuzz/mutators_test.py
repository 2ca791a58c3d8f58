"""Tests the curves that mutators.py reads of a fuzzer's output, and how they are written."""

import unittest

from fuzz import mutators

_LOG = '''INFO: Seed: 1
#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 75Mb
#5\tNEW    cov: 12 ft: 14 corp: 2/9b lim: 4096 exec/s: 0 rss: 76Mb L: 8/8 MS: 1 Custom-
#8\tNEW    cov: 12 ft: 15 corp: 3/9b lim: 4096 exec/s: 0 rss: 76Mb L: 8/8 MS: 1 Custom-
#9\tDONE   cov: 12 ft: 15 corp: 3/9b lim: 4096 exec/s: 1 rss: 76Mb
Done 9 runs in 2 second(s)
'''


class MutatorsTest(unittest.TestCase):

    def setUp(self):
        times = iter(range(100))
        self.points = mutators.curve(_LOG.splitlines(), 'bytes', 3, lambda: next(times))

    def test_a_curve_has_a_point_for_each_growth_and_the_last(self):
        self.assertEqual([(p.seconds, p.runs, p.edges) for p in self.points], [(0, 2, 10), (1, 5, 12), (3, 9, 12)])
        self.assertEqual(mutators.curve([], 'bytes', 3, lambda: 0), [])

    def test_csv(self):
        self.assertEqual(mutators.as_csv(self.points[:2]),
                         'mutator,seed,seconds,runs,edges\nbytes,3,0.0,2,10\nbytes,3,1.0,5,12\n')

    def test_the_picture_has_every_curve(self):
        more = [mutators.Point('programs', 1, 0.5, 1, 20)]
        script = mutators.gnuplot_script(self.points + more, 'a.svg')
        self.assertIn('set output "a.svg"', script)
        self.assertIn('title "bytes, seed 3"', script)
        self.assertIn('title "programs, seed 1"\n0.1 10\n1.0 12\n3.0 12\ne\n0.5 20\ne\n', script)


if __name__ == '__main__':
    unittest.main()
