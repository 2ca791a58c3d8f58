"""Programs under Valgrind: a read of what was never written is a minimized finding, and the sound engine has none.

Valgrind needs the configuration of its name; in all others only the command line is looked at.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

from tools.oracle import memcheck

SOUND, PLANTED = 'tools/oracle/oracle_alone', 'tools/oracle/unwritten_sum_oracle'
IS_BUILT_FOR_IT = os.path.exists(PLANTED)


def run(words, folder):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True, errors='replace',
                          env=dict(os.environ, BUILD_WORKING_DIRECTORY=folder))


class CommandTest(unittest.TestCase):

    def test_flags_take_the_place_of_defaults(self):
        self.assertEqual(memcheck.oracle_words(['--programs=7', '--seed=1']),
                         ['check', '--timeout=10m', '--memory=8G', '--programs=7', '--seed=1'])

    def test_a_run_of_some_time_has_no_number_of_programs(self):
        self.assertNotIn('--programs=1000', memcheck.oracle_words(['--time=5m']))

    def test_another_verb_is_taken_as_it_is(self):
        self.assertEqual(memcheck.oracle_words(['replay', 'findings/x']), ['replay', 'findings/x'])


@unittest.skipUnless(IS_BUILT_FOR_IT, 'built for another configuration than valgrind')
class RunTest(unittest.TestCase):

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def memcheck(self, oracle, *flags):
        return run(memcheck.command('valgrind', oracle, ['--seed=1', '--jobs=2', *flags]), self.folder)

    def test_the_sound_engine_passes(self):
        end = self.memcheck(SOUND, '--programs=60')
        self.assertEqual(end.returncode, 0, end.stdout)
        self.assertIn('findings       none', end.stdout)

    def test_what_was_never_written_is_found_and_minimized(self):
        # Its results are right.
        plain = run([PLANTED, 'check', '--seed=1', '--programs=500'], self.folder)
        self.assertEqual(plain.returncode, 0, plain.stdout)
        end = self.memcheck(PLANTED, '--programs=200', '--findings=1')
        self.assertEqual(end.returncode, 1, end.stdout)
        finding, = (pathlib.Path(self.folder) / 'findings').iterdir()
        self.assertIn('depends on uninitialised value', (finding / 'report.txt').read_text())
        self.assertIn('reduce.cc', (finding / 'actual.txt').read_text())
        program = (finding / 'program.txt').read_text()
        self.assertLessEqual(len(program.splitlines()), 4, program)
        again = run(memcheck.command('valgrind', PLANTED, ['replay', str(finding)]), self.folder)
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertEqual(run([PLANTED, 'replay', str(finding)], self.folder).returncode, 0)


if __name__ == '__main__':
    unittest.main()
