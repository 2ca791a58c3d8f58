"""What trained.py asks of the build, of `check` and of llvm-profdata, each played by a script that writes down how it is called."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest

_TRAINED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'trained.py')
_BAZEL = '''#!/bin/sh
echo "bazel $*" >> "$CALLS"
if [ "$1" = info ]; then echo "$PWD/out"; fi
case "$*" in *"$REFUSED"*) exit 7;; esac
'''
_ORACLE = '''#!/bin/sh
echo "${0##*/} $*" >> "$CALLS"
if [ -z "$SILENT" ]; then echo counted > "$PWD/.bazel/trained/one.profraw"; fi
'''
_PROFDATA = '''#!/bin/sh
echo "profdata $*" >> "$CALLS"
echo merged > "$3"
'''


class TrainedTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = os.path.realpath(folder.name)
        self.place = os.path.join(self.top, '.bazel/trained')
        for path, text in (('tools/bazel', _BAZEL), ('out/tools/oracle/oracle', _ORACLE), ('path/llvm-profdata-19', _PROFDATA),
                           ('path/llvm-bolt-19', '')):
            path = os.path.join(self.top, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w') as file:
                file.write(text)
            os.chmod(path, stat.S_IRWXU)

    def train(self, *flags, path='path', **environment):
        environment = {'PATH': f'{self.top}/{path}:/usr/bin:/bin', 'BUILD_WORKSPACE_DIRECTORY': self.top,
                       'CALLS': f'{self.top}/calls', 'REFUSED': 'nothing', **environment}
        run = subprocess.run([sys.executable, _TRAINED, *flags], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False)
        calls = []
        if os.path.exists(f'{self.top}/calls'):
            with open(f'{self.top}/calls') as file:
                calls = file.read().splitlines()
        return run, calls

    def test_counts_merges_and_compiles_anew(self):
        run, calls = self.train('--programs=50', '--seed=3', '--define=explorer=yes')
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, f'{self.top}/out/tools/oracle/oracle\n')
        profile, = (name for name in os.listdir(self.place) if name.endswith('.profdata'))
        counting = f'--config=training --copt=-fprofile-generate={self.place} --linkopt=-fprofile-generate={self.place}'
        using = f'--config=trained --copt=-fprofile-use={self.place}/{profile}'
        self.assertEqual(calls, [
            f'bazel build {counting} --define=explorer=yes //tools/oracle',
            f'bazel info {counting} --define=explorer=yes bazel-bin',
            f'oracle check --programs=50 --seed=3 --jobs=1 --out={self.place}/findings',
            f'profdata merge -o {self.place}/check.profdata {self.place}/one.profraw',
            f'bazel build {using} --define=explorer=yes //tools/oracle',
            f'bazel info {using} --define=explorer=yes bazel-bin',
        ])

    def test_a_step_that_fails_ends_it(self):
        run, calls = self.train(REFUSED='--config=trained')
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, '')
        self.assertIn('[trained] compiling the oracle with --config=trained: exit status 7, needed is 0', run.stderr)
        self.assertIn('--config=trained', calls[-1])

    def test_a_run_without_a_profile_is_an_error(self):
        run, calls = self.train(SILENT='yes')
        self.assertEqual(run.returncode, 1)
        self.assertIn(f'left no {self.place}/*.profraw', run.stderr)
        self.assertFalse(any('profdata' in call for call in calls))

    def test_tools_that_are_missing_are_named_with_their_packages(self):
        os.remove(f'{self.top}/path/llvm-bolt-19')
        run, calls = self.train(PATH=f'{self.top}/path')
        self.assertEqual((run.returncode, calls), (1, []))
        self.assertIn('[trained] there is no llvm-bolt-19 here', run.stderr)
        self.assertIn('apt-get install bolt-19', run.stderr)

    def test_wrong_numbers_are_refused(self):
        run, calls = self.train('--programs=0')
        self.assertEqual((run.returncode, calls), (2, []))
        self.assertIn('[trained] --programs=0; allowed is 1 and more', run.stderr)


if __name__ == '__main__':
    unittest.main()
