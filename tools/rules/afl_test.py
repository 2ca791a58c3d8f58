"""What AFL++ writes is read, and a run of a stand-in for it is told as it ended."""

import contextlib
import io
import os
import pathlib
import stat
import tempfile
import unittest
from unittest import mock

from tools.rules import afl

STATS = 'execs_done        : 4500\nexecs_per_sec     : 900.10\nedges_found       : 310\ntotal_edges       : 5000\n'

# Take the last word as the target, and write what afl-fuzz and afl-showmap would: each input has an edge.
STAND_IN = '''#!/bin/bash
while [[ "$1" != -- ]]; do
  if [[ "$1" == -o ]]; then out="$2/default"; fi
  if [[ "$1" == -i ]]; then [[ "$(ls "$2")" == 0000-seed ]] || exit 1; fi
  shift
done
[[ "${ASAN_OPTIONS}" == abort_on_error=1:* ]] || exit 1
case "$2" in */broken) echo "no instrumentation"; exit 1 ;; esac
mkdir -p "${out}/crashes" "${out}/hangs" "${out}/queue"
touch "${out}/queue/id:0,time:0,execs:0,orig:a" "${out}/queue/id:1,src:0,time:900,execs:80,op:x,+cov" \\
  "${out}/queue/id:2,src:0,time:1000,execs:99,op:x"
printf '%s' "$STATS" >"${out}/fuzzer_stats"
case "$2" in */crashing) touch "${out}/crashes/id:000000,sig:06" "${out}/crashes/README.txt" ;; esac
'''


SHOWMAP = '''#!/bin/bash
while [[ "$1" != -- ]]; do
  if [[ "$1" == -i ]]; then inputs="$2"; fi
  if [[ "$1" == -o ]]; then out="$2"; fi
  shift
done
case "$2" in */uncounted) echo "no map" ;; *) [[ "${AFL_MAP_SIZE}" == 65536 ]] && ls "${inputs}" >"${out}" ;; esac
'''


class ReadingTest(unittest.TestCase):

    def test_a_name_says_when_its_input_was_kept(self):
        self.assertEqual(afl.kept_at('id:000006,src:000003,time:1500,execs:48,op:havoc,rep:2,+cov'), (1.5, 48))
        self.assertEqual(afl.kept_at('id:000000,time:0,execs:0,orig:nightly'), (0, 0))
        self.assertEqual(afl.kept_at('of another version'), (0, 0))

    def test_a_curve_has_its_first_and_last_moment(self):
        moments = afl.times(60)
        self.assertEqual((len(moments), moments[0], moments[-1]), (afl.ROWS, 0, 60))

    def test_stats_are_names_and_values(self):
        self.assertEqual(afl.stats_of(STATS)['edges_found'], '310')


class RunTest(unittest.TestCase):

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / 'bin').mkdir()
        for name, text in (('afl-fuzz', STAND_IN), ('afl-showmap', SHOWMAP)):
            program = self.folder / 'bin' / name
            program.write_text(text)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (self.folder / 'seed').write_text('seed')
        path = f'{self.folder}/bin:{os.environ["PATH"]}'
        self.enterContext(mock.patch.dict(os.environ, {'PATH': path, 'STATS': STATS}))

    def run_afl(self, target):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = afl.main([f'--target=/{target}', f'{self.folder}/seed', f'--out={self.folder}/{target}'])
        return status, said.getvalue()

    def test_coverage_is_shown(self):
        status, said = self.run_afl('sound')
        self.assertEqual(status, 0, said)
        self.assertIn('| 0.0 | 0 | 1 | 1 |', said)
        self.assertIn('| 1.0 | 99 | 3 | 3 |', said)
        self.assertIn('310 of 5000 edges', said)

    def test_what_killed_the_target_is_told(self):
        status, said = self.run_afl('crashing')
        self.assertEqual(status, 1, said)
        self.assertIn('crashes: /crashing ', said)
        self.assertNotIn('README', said)

    def test_edges_that_cannot_be_counted_are_told(self):
        status, said = self.run_afl('uncounted')
        self.assertEqual(status, 2, said)
        self.assertIn('has counted nothing; ', said)
        self.assertIn('no map', said)

    def test_a_target_that_cannot_be_fuzzed_is_told(self):
        status, said = self.run_afl('broken')
        self.assertEqual(status, 2, said)
        self.assertIn('has run nothing; needed is a target of --config=afl', said)
        self.assertIn('no instrumentation', said)


if __name__ == '__main__':
    unittest.main()
