"""The page from made-up outputs: which lines are kept, the ratio, and a measurement that failed."""

import unittest

from tools.bench import results_page

CHECK = ('programs       100,000 in 7.9 s with 2 jobs: 12,607 a second, 6,303 a second a core  \n'
         'ops            leaf 7\ncompared       all\n')
LIBTORCH = 'programs       100 in 1 s with 1 jobs: 2,101 a second, 2,101 a second a core\n'


class ResultsPageTest(unittest.TestCase):

    def kept(self, title, output):
        measurement = next(m for m in results_page.MEASUREMENTS if m.title == title)
        return results_page.kept_lines(measurement, output)

    def test_only_lines_with_figures_are_kept(self):
        self.assertEqual(self.kept('check', CHECK), [
            'programs       100,000 in 7.9 s with 2 jobs: 12,607 a second, 6,303 a second a core',
            'compared       all',
        ])
        self.assertEqual(self.kept('engine against libtorch', 'INFO: x\nchain  1000  1.0  2.0  2.00x\n'),
                         ['chain  1000  1.0  2.0  2.00x'])

    def test_of_findings_it_says_how_many_programs_each_takes(self):
        output = ('programs       2,000 in 1 s with 1 jobs: 2,000 a second, 2,000 a second a core\n'
                  'explained by   torch-0001 40, libtorch-0002 8,\n               torch-0003 1\nops            leaf 7\n')
        self.assertEqual(self.kept('findings in libtorch', output), [
            'torch-0001       one of        50 programs',
            'libtorch-0002    one of       250 programs',
            'torch-0003       one of     2,000 programs',
        ])
        self.assertEqual(self.kept('findings in libtorch', 'nothing\n'), [])

    def test_two_sides_are_compared_as_a_ratio(self):
        kept = {'check': self.kept('check', CHECK), 'check of libtorch': self.kept('check of libtorch', LIBTORCH)}
        self.assertEqual(results_page.ratios(kept), ['check / check of libtorch: 6,303 / 2,101 a second a core = 3.00'])

    def test_one_side_alone_is_not_compared(self):
        self.assertEqual(results_page.ratios({'check': self.kept('check', CHECK)}), [])

    def test_the_page_names_the_machine_and_what_failed(self):
        missing = {m.title: 'exit status 1' for m in results_page.MEASUREMENTS}
        text = results_page.page({'commit': 'abc'}, {'check': ['programs 1']}, missing)
        self.assertIn('| commit | abc |', text)
        self.assertIn('--jobs=2\nprograms 1\n', text)
        self.assertEqual(text.count('no figure: exit status 1'), len(results_page.MEASUREMENTS) - 1)


if __name__ == '__main__':
    unittest.main()
