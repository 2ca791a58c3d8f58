"""A made-up history, with stand-ins for the build and the replay: the commit that brought the defect is named."""

import contextlib
import io
import os
import subprocess
import tempfile
import unittest

from fuzz.campaign import bisection

# The build copies the source; it fails where the source is broken. The replay finds the defect in what was built.
BUILD = '! grep -q broken source && cp source built'
REPLAY = 'test -d "$FINDING" || exit 3; if grep -q strange built; then exit 2; fi; ! grep -q defect built'


class BisectTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.repository = os.path.join(self.folder, 'r')
        self.finding = os.path.join(self.folder, 'finding')
        os.mkdir(self.repository)
        os.mkdir(self.finding)
        self.git('init', '-q')
        self.commits = []

    def git(self, *words):
        return subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', '-C', self.repository, *words],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout

    def history(self, *sources):
        for number, source in enumerate(sources):
            with open(os.path.join(self.repository, 'source'), 'w', encoding='utf-8') as file:
                file.write(f'{number}: {source}\n')
            self.git('add', 'source')
            self.git('commit', '-qm', f'commit {number}')
            self.commits.append(self.git('rev-parse', 'HEAD').strip())

    def bisect(self, good, *words):
        said = []
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = bisection.main([self.finding, f'--repository={self.repository}', f'--good={good}',
                                     f'--build={BUILD}', f'--replay={REPLAY}', *words], said.append)
        return status, '\n'.join(said), errors.getvalue()

    def test_each_commit_is_found(self):
        self.history(*['sound'] * 4, *['defect'] * 5)
        status, said, _ = self.bisect(self.commits[0])
        self.assertEqual(status, 0, said)
        self.assertIn(f'brought by {self.commits[4]}\n', said)
        self.assertIn('\ncommit 4', said)
        # Between 9 commits, 3 steps and the 2 ends.
        self.assertLessEqual(said.count('shows') + said.count('does not show'), 6)

    def test_the_first_and_the_last_commit_may_be_it(self):
        self.history('sound', 'defect', 'defect', 'defect')
        self.assertIn(f'brought by {self.commits[1]}', self.bisect(self.commits[0])[1])
        self.assertIn(f'brought by {self.commits[1]}', self.bisect(self.commits[0], f'--bad={self.commits[1]}')[1])

    def test_commits_of_which_nothing_is_known_are_passed_over(self):
        self.history('sound', 'sound', 'broken', 'sound', 'strange', 'sound', 'defect', 'broken defect', 'defect')
        status, said, _ = self.bisect(self.commits[0])
        self.assertEqual(status, 0, said)
        self.assertIn(f'brought by {self.commits[6]}', said)

    def test_where_only_such_are_left_all_are_named(self):
        self.history('sound', 'broken', 'strange', 'defect')
        status, said, _ = self.bisect(self.commits[0])
        self.assertEqual(status, 4)
        self.assertEqual({line for line in said.split('\n') if line.startswith('may be')},
                         {f'may be {which}' for which in self.commits[1:]})

    def test_wrong_ends_are_told(self):
        self.history('sound', 'defect', 'defect', 'sound')
        status, _, errors = self.bisect(self.commits[0])
        self.assertEqual(status, 2)
        self.assertIn('the finding does not show, or nothing is known; --bad needs one where it does; ', errors)
        status, _, errors = self.bisect(self.commits[1], f'--bad={self.commits[2]}')
        self.assertEqual(status, 2)
        self.assertIn('--good needs one where it does not; ', errors)
        self.assertIn('[bisect] git rev-parse fails', self.bisect('no_such_commit')[2])

    def test_the_repository_is_left_as_it_was(self):
        self.history('sound', 'defect', 'defect')
        self.git('checkout', '-q', '-b', 'mine', self.commits[0])
        before = self.git('status', '--porcelain', '--branch'), self.git('for-each-ref')
        self.bisect(self.commits[0], f'--bad={self.commits[2]}')
        self.assertEqual((self.git('status', '--porcelain', '--branch'), self.git('for-each-ref')), before)
        self.assertEqual(len(self.git('worktree', 'list').splitlines()), 1)


if __name__ == '__main__':
    unittest.main()
