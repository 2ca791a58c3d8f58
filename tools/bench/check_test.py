"""The phases of `check` are found in what callgrind writes of a worker."""

import sys
import tempfile
import unittest

from tools.bench import check

_WORKER = '''fn=(1) twingrad::workers::(anonymous namespace)::CampaignWork::Run(twingrad::workers::Crew const&)
16 10
cfn=(2) twingrad::subjects::ProgramSource::MakeApart(unsigned long)
calls=2 0
* 300
cfn=(3) twingrad::judge::Judge::operator()(twingrad::program::Program const&)
calls=2 0
* 1000

fn=(2)
5 200
cfn=(4) twingrad::generators::Generate(unsigned long)
calls=2 0
* 100

fn=(4)
5 100

fn=(3)
cfn=(5) twingrad::judge::Judge::Run(twingrad::program::Program const&)
calls=2 0
* 1000

fn=(5)
7 1
cfn=(6) twingrad::judge::EngineRun::operator()(twingrad::program::Program const&, int, int)
calls=2 0
+3 400
cfn=(7) twingrad::judge::JudgeByTable(twingrad::judge::Exhibits const&)
calls=2 0
* 599

fn=(6)
1 450

fn=(7)
1 49
cfn=(8) twingrad::judge::(anonymous namespace)::Canary(twingrad::judge::Exhibits const&)
calls=1 0
* 50
cfn=(9) twingrad::oracles::Verdict twingrad::judge::(anonymous namespace)::OfRun<&twingrad::oracles::JudgeLeaks>(twingrad::judge::Exhibits const&)
calls=2 0
* 500

fn=(8)
cfn=(6)
calls=1 0
* 50

fn=(9)
1 500

fn=(10) main
1 5
cfn=(1)
calls=1 0
* 1310
'''


class ReadingTest(unittest.TestCase):

    def setUp(self):
        self.profile = check.Profile(_WORKER)

    def test_calls_count_for_their_callers(self):
        self.assertEqual(self.profile.total, 1315)
        self.assertEqual(self.profile.of('twingrad::generators::Generate'), 100)
        self.assertEqual(self.profile.of('twingrad::judge::Judge::'), 1000)  # a call inside of it counts once

    def test_phases_add_up_to_all(self):
        found = check.phases(self.profile)
        self.assertEqual(sum(found.values()), 1315)
        for name, count in {'generate': 300, 'engine': 400, 'oracles': 549,
                            'engine, as oracles ask for it': 50, 'rest of the judge': 1, 'rest of the worker': 10,
                            'other threads, start of the process': 5}.items():
            self.assertEqual(found[name], count, name)

    def test_oracles_are_named(self):
        self.assertEqual(check.oracles(self.profile), {'Leaks': 500, 'Canary': 50})

    def test_a_phase_whose_functions_have_other_names_is_an_error(self):
        with self.assertRaisesRegex(check.Failed, r'^\[bench\] the profile has nothing of twin, dual numbers; '):
            check.as_text(self.profile, 2)


class WorkerTest(unittest.TestCase):

    def test_the_phases_of_a_worker_are_found(self):
        if SKIPS:
            self.skipTest('instrumented code is not counted')
        with tempfile.TemporaryDirectory() as folder:
            text = check.as_text(check.profile_of(20, 92, folder), 20)
        print(text)
        self.assertRegex(text, r'twin +\d+\.\d%')
        self.assertRegex(text, r'largest oracles, .* \d+\.\d%')


if __name__ == '__main__':
    SKIPS = 'skip_instrumented' in sys.argv
    unittest.main(argv=sys.argv[:1])
