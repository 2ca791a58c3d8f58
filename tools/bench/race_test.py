"""The race on contestants that take as long as they are told; every case of this engine's contestant, once."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from tools.bench import cases, compare, engine, race, table, threads
from tools.bench.contestant import Contestant, Failed, one_processor

OWN, FAKE_CUDA = sys.argv.pop(1), sys.argv.pop(1)

# A contestant that takes COST ns a node; it knows `chain` and `scalars`, and fails in `fan`.
CLOCKWORK = '''
import sys
name, cost = sys.argv[1], float(sys.argv[2])
print('ready', name, flush=True)
for line in sys.stdin:
    case, size = line.split()
    if case == 'chain': print('backward', cost * int(size), flush=True)
    elif case == 'scalars': print('forward', 2 * cost * int(size), 'backward', cost * int(size), flush=True)
    elif case == 'fan': print('error it broke', flush=True)
    else: print('unknown', flush=True)
'''


def clockwork(name, cost):
    return Contestant([sys.executable, '-c', CLOCKWORK, name, str(cost)])


def case(name):
    return cases.chosen([name])[0]


class RaceTest(unittest.TestCase):

    def rows(self, name, size=100):
        with clockwork('fast', 50) as fast, clockwork('slow', 1000) as slow:
            return race.race([fast, slow], case(name), size, seconds=0)

    def test_a_line_has_medians_and_their_ratio(self):
        row, = self.rows('chain')
        self.assertEqual(table.line(row).split(), ['chain', '100', '50.0', '1000.0', '20.00x'])

    def test_each_figure_of_a_case_has_a_line(self):
        self.assertEqual([(row.title, row.median(0)) for row in self.rows('scalars')],
                         [('y = y * w forward', 100), ('y = y * w backward', 50)])

    def test_contestants_run_equally_often(self):
        row, = self.rows('chain')
        self.assertEqual([len(runs) for runs in row.runs], [5, 5])

    def test_contestants_share_one_processor(self):
        allowed = os.sched_getaffinity(0)
        where = "import os; print('ready', *os.sched_getaffinity(0), flush=True); input()"
        with one_processor():
            with Contestant([sys.executable, '-c', where]) as one, Contestant([sys.executable, '-c', where]) as other:
                self.assertEqual(one.name, other.name)
                self.assertIn(int(one.name), allowed)
        self.assertEqual(os.sched_getaffinity(0), allowed)

    def test_passes_add_their_runs(self):
        with clockwork('fast', 50) as fast, clockwork('slow', 1000) as slow:
            of_passes = [race.race([fast, slow], case('scalars'), 100, seconds=0, passes=3) for _ in range(3)]
        rows = race.merged(of_passes)
        self.assertEqual([row.title for row in rows], ['y = y * w forward', 'y = y * w backward'])
        self.assertEqual([len(runs) for row in rows for runs in row.runs], [9] * 4)
        row = race.merged([[self.row_of([1.0, 2.0])], [self.row_of([9.0])], [self.row_of([2.0, 3.0])]])[0]
        self.assertEqual(row.median(0), 2.0)

    def row_of(self, runs):
        return race.Row('chain', 'chain', 'ns a node', 10, [runs])

    def test_a_case_that_nobody_has_gives_no_line(self):
        self.assertEqual(self.rows('mlp'), [])

    def test_an_error_of_a_contestant_names_it(self):
        with self.assertRaisesRegex(Failed, r'\[bench\] fast: it broke'):
            self.rows('fan')

    def test_a_contestant_that_ends_is_an_error(self):
        with self.assertRaisesRegex(Failed, 'ended with status 3'):
            Contestant([sys.executable, '-c', 'import sys; sys.exit(3)'])

    def test_an_unknown_case_names_what_there_is(self):
        with self.assertRaisesRegex(ValueError, 'no case is called nonsense; there are chain, '):
            cases.chosen(['chain', 'nonsense'])
        with self.assertRaisesRegex(ValueError, ', callers, branches; '):
            cases.chosen(['nonsense'], beside=tuple(threads.MEASUREMENTS))

    def test_json_holds_every_run(self):
        found = json.loads(table.as_json(self.rows('chain'), ['fast', 'slow']))
        self.assertEqual(found[0]['contestants']['slow'], {'median': 1000, 'runs': [1000] * 5})

    def test_a_picture_has_a_panel_a_figure_and_a_line_a_contestant(self):
        rows = self.rows('scalars', 100) + self.rows('scalars', 1000)
        script = table.gnuplot_script(rows, ['fast', 'slow'], 'x.svg')
        self.assertEqual(script.count('set title'), 2)
        self.assertEqual(script.count('title "slow"'), 2)
        self.assertIn('100 2000.0\n1000 2000.0\ne\n', script)


class CompareTest(unittest.TestCase):

    def row(self, base, here):
        return race.Row('chain', 'chain', 'ns a node', 1000, [base, here])

    def test_the_sign_test_gives_binomial_tails(self):
        self.assertEqual(compare.sign_test([(1, 2)] * 10), 2 / 1024)
        self.assertEqual(compare.sign_test([(1, 2), (2, 1)]), 1)
        self.assertEqual(compare.sign_test([(1, 1)]), 1)

    def test_a_steady_difference_is_beyond_noise_and_a_mixed_one_is_not(self):
        self.assertIn('slower', compare.verdict(self.row([10] * 20, [11] * 20), lines=10))
        self.assertIn('faster', compare.verdict(self.row([10] * 20, [9] * 20), lines=10))
        self.assertIn('no difference', compare.verdict(self.row([10, 11] * 10, [11, 10] * 10), lines=10))
        self.assertIn('no difference', compare.verdict(self.row([10] * 6, [11] * 6), lines=10))

    def test_a_base_that_is_nothing_is_an_error(self):
        with self.assertRaisesRegex(Failed, 'neither a file nor a commit'), compare.built('no-such-commit'):
            pass


class OwnContestantTest(unittest.TestCase):

    def test_every_case_gives_positive_figures(self):
        with Contestant([OWN]) as own:
            self.assertEqual(own.name, 'twingrad')
            for each in cases.CASES:
                figures = own.run(each.name, 8 if each.name != 'bytes' else 100_000)
                self.assertTrue(figures, each.name)
                for figure, value in figures.items():
                    self.assertGreater(value, 0, f'{each.name} {figure}')
            self.assertEqual(own.run('nonsense', 8), {})

    def test_the_cases_of_a_gpu_are_those_of_its_contestant(self):
        with Contestant([FAKE_CUDA]) as own:
            for each in cases.TRAINING_ON_GPU:
                self.assertGreater(own.run(each.name, 2)['step'], 0, each.name)
            self.assertEqual(own.run('chain', 8), {})

    def test_callers_are_compared_with_processes(self):
        self.assertRegex(threads.callers([OWN], 100), r'two callers on one graph of 100 nodes: \d+\.\d\d of')
        self.assertRegex(threads.branches([OWN], 8), r'two threads on eight branches of 8 by 8: \d+\.\d\d of')
        self.assertEqual(threads.share([2, 4, 6], [3, 3, 3]), 0.75)

    def test_a_number_out_of_range_is_an_error(self):
        self.assertIn("'0' is no number of passes; it is a whole number from 1 to 100", self.refused('--passes=0'))
        for wrong in ('1', '-3', '10000001', 'x'):
            self.assertIn(f"'{wrong}' is no size; a size is a whole number from 2 to 10000000",
                          self.refused('--sizes=' + wrong))

    def refused(self, argument):
        done = subprocess.run([sys.executable, engine.__file__, argument], capture_output=True, text=True,
                              env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
        self.assertEqual(done.returncode, 2)
        return done.stderr

    @unittest.skipUnless(os.path.exists('/usr/bin/gnuplot'), 'gnuplot is not installed: tools/bazel installs it for --plot')
    def test_gnuplot_draws(self):
        rows = [race.Row('chain', 'chain', 'ns a node', size, [[2.0], [3.0]]) for size in (10, 100)]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'cost.svg')
            table.plot(rows, ['a', 'b'], file)
            with open(file, encoding='utf-8') as svg:
                self.assertIn('<svg', svg.read())


if __name__ == '__main__':
    unittest.main()
