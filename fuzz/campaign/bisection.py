"""Names the commit that brought a finding.

    tools/bazel run //fuzz/campaign:bisect -- FINDING --good=COMMIT [--bad=COMMIT]

FINDING is the folder of a finding. Builds the tool in a work tree of its own, first at both ends: at COMMIT of --bad (HEAD)
the finding must show, at that of --good it must not; then at commits between them, as `git bisect` chooses. A commit that
cannot be built, or whose tool cannot tell, is passed over; where only such commits are left, all that may be it are named.
Exit status 0: one commit; 4: several; 2: it could not be done.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = 'tools/bazel build --define=explorer=yes //tools/oracle'
REPLAY = '.bazel/bin/tools/oracle/oracle replay "$FINDING"'
GOOD, BAD, UNKNOWN = 0, 1, 125  # as `git bisect run` reads them


class Wrong(Exception):
    """`[bisect] what is wrong; what is allowed; what to do`."""


def git(folder, *words):
    done = subprocess.run(['git', '-C', folder, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          text=True, errors='replace')
    if done.returncode:
        raise Wrong(f'[bisect] git {words[0]} fails ({done.stderr.strip()}); needed are a repository and its commits; '
                    'check the commits and the folder')
    return done.stdout


def commit(folder, name):
    return git(folder, 'rev-parse', '--verify', name + '^{commit}').strip()


class Bisection:
    def __init__(self, arguments, say):
        self.arguments, self.say = arguments, say
        self.finding = os.path.abspath(os.path.join(os.environ.get('BUILD_WORKING_DIRECTORY', ''), arguments.finding))
        self.tree = os.path.join(tempfile.mkdtemp(prefix='bisect-'), 'tree')

    def shell(self, command):
        return subprocess.run(['/bin/sh', '-c', command], cwd=self.tree, check=False, stdout=2,
                              env=dict(os.environ, FINDING=self.finding)).returncode

    def judge(self, which):
        """What the tool of this commit says of the finding."""
        git(self.tree, 'checkout', '-q', '--detach', which)
        verdict = UNKNOWN
        if self.shell(self.arguments.build) == 0:
            verdict = {0: GOOD, 1: BAD}.get(self.shell(self.arguments.replay), UNKNOWN)
        word = {GOOD: 'does not show', BAD: 'shows', UNKNOWN: 'unknown'}[verdict]
        self.say(f'{which[:12]}  {word:14}{git(self.tree, "log", "-1", "--format=%s", which).strip()}')
        return verdict

    def run(self):
        """The commits that may have brought it."""
        repository, good, bad = self.arguments.repository, self.arguments.good, self.arguments.bad
        if not os.path.isdir(self.finding):
            raise Wrong(f'[bisect] {self.finding} is no folder; needed is that of a finding; check the path')
        good, bad = commit(repository, good), commit(repository, bad)
        git(repository, 'worktree', 'add', '-q', '--detach', self.tree, bad)
        try:
            settings = os.path.join(repository, 'user.bazelrc')
            if os.path.exists(settings):
                shutil.copy(settings, self.tree)
            for which, wanted, flag in ((bad, BAD, '--bad'), (good, GOOD, '--good')):
                if self.judge(which) != wanted:
                    raise Wrong(f'[bisect] at {which[:12]} the finding {"does not show" if wanted == BAD else "shows"}, or '
                                f'nothing is known; {flag} needs one where it {"does" if wanted == BAD else "does not"}; '
                                'name another commit')
            return self.search(good, bad)
        finally:
            git(repository, 'worktree', 'remove', '--force', self.tree)
            os.rmdir(os.path.dirname(self.tree))

    def search(self, good, bad):
        said = git(self.tree, 'bisect', 'start', '--no-checkout', bad, good)
        while True:
            found = re.search('^([0-9a-f]{40}) is the first bad commit', said, re.MULTILINE)
            if found:
                return [found.group(1)]
            if "only 'skip'ped commits left" in said:
                return re.findall('^([0-9a-f]{40})$', said, re.MULTILINE)
            which = commit(self.tree, 'BISECT_HEAD')
            word = {GOOD: 'good', BAD: 'bad', UNKNOWN: 'skip'}[self.judge(which)]
            said = self.mark(word, which)

    def mark(self, word, which):
        # Where only skipped ones are left, git says so with a status of its own.
        done = subprocess.run(['git', '-C', self.tree, 'bisect', word, which], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True, errors='replace')
        if done.returncode not in (0, 2):
            raise Wrong(f'[bisect] git bisect {word} fails ({done.stdout.strip()}); needed is a history from --good to '
                        '--bad; check both')
        return done.stdout


def main(words, say=lambda line: print(line, flush=True)):
    parser = argparse.ArgumentParser(description='names the commit that brought a finding')
    parser.add_argument('finding', help='the folder of a finding')
    parser.add_argument('--good', required=True, help='a commit at which it does not show')
    parser.add_argument('--bad', default='HEAD', help='a commit at which it shows (default: HEAD)')
    parser.add_argument('--build', default=BUILD, help=f'run at each commit (default: {BUILD})')
    parser.add_argument('--replay', default=REPLAY, help='exit status 1: it shows; 0: it does not; else nothing is known '
                                                         f'(default: {REPLAY})')
    parser.add_argument('--repository', default=os.environ.get('BUILD_WORKSPACE_DIRECTORY', '.'))
    arguments = parser.parse_args(words)
    try:
        bisection = Bisection(arguments, say)
        commits = bisection.run()
        for which in commits:
            say(git(arguments.repository, 'log', '-1', '--format=%nbrought by %H%n%an, %ad%n%s', which).rstrip()
                if len(commits) == 1 else f'may be {which}')
        return 0 if len(commits) == 1 else 4
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
