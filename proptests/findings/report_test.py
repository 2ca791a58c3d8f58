"""Reports from made-up runs: well-formed XML, and a page that shows what the runs hold."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from unittest import mock
from xml.etree import ElementTree

from proptests.findings import report

RUN = {'type': 'run', 'engine': 'exec:a <b>', 'seed': 7, 'programs': 100, 'failed': 1, 'seconds': 1.5,
       'outcomes': {'agree': 99, 'wrong': 1, 'hang': 0}, 'areas': {'view': {'agree': 9, 'wrong': 1}, 'hook': {'agree': 3}}}
FINDING = {'type': 'finding', 'oracle': 'twin', 'text': 'twin: .grad & more\n  expected 1', 'seed': 9,
           'program': 'twingrad 1\n%x = leaf type=f64[]\n', 'folder': '', 'more': 0}


def write(lines):
    path = os.path.join(tempfile.mkdtemp(), 'run.jsonl')
    with open(path, 'w', encoding='utf-8') as out:
        out.write(''.join(line + '\n' for line in lines))
    return path


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.runs = report.read([write([json.dumps(RUN), json.dumps(FINDING)])])

    def test_reads_runs_with_their_findings(self):
        self.assertEqual(len(self.runs), 1)
        self.assertEqual([f['seed'] for f in self.runs[0]['findings']], [9])

    def test_junit_has_a_case_a_finding(self):
        suite = ElementTree.fromstring(report.junit(self.runs)).find('testsuite')
        self.assertEqual((suite.get('tests'), suite.get('failures')), ('2', '1'))
        failure = suite.find('testcase/failure')
        self.assertEqual(failure.get('message'), 'twin: .grad & more')
        self.assertIn('%x = leaf', failure.text)

    def test_what_xml_cannot_hold_is_replaced(self):
        said = dict(FINDING, text='twin: \x1b[31m\x00 \ud800\nend')
        runs = report.read([write([json.dumps(RUN), json.dumps(said)])])
        text = report.junit(runs)
        failure = ElementTree.fromstring(text.encode()).find('testsuite/testcase/failure')
        self.assertEqual(failure.get('message'), 'twin: \ufffd[31m\ufffd \ufffd')
        self.assertNotIn('\x1b', report.page(runs))

    def test_the_page_shows_matrix_outcomes_and_findings(self):
        page = report.page(self.runs)
        self.assertIn('<td class="bad" title="agree 9, wrong 1">1 / 10</td>', page)
        self.assertIn('<td class="good" title="agree 3">0 / 3</td>', page)
        self.assertIn('<tr><th>all Programs</th><td class="bad" title="agree 99, wrong 1">1 / 100</td></tr>', page)
        self.assertIn('<th>programs</th><th>agree</th><th>wrong</th></tr><tr><th>exec:a &lt;b&gt;</th><td>7</td>'
                      '<td>100</td><td>99</td><td>1</td></tr>', page)
        self.assertIn('twin: .grad &amp; more', page)
        self.assertNotIn('<b>', page)
        self.assertIn('x = torch.tensor([0], dtype=torch.float64).reshape([]).clone()', page)

    def test_conventions_are_a_table_of_points_by_engines(self):
        rows = [{'point': "abs'(0)", 'choice': '1', 'twin': '0'}, {'point': "relu'(0)", 'choice': '0', 'twin': '0'}]
        page = report.page(self.runs + [dict(RUN, engine='other', findings=[], conventions=rows)])
        self.assertIn('<tr><th>point</th><th>twin</th><th>other</th></tr>', page)
        self.assertIn('<tr><th>abs&#x27;(0)</th><td>0</td><td class="other">1</td></tr>', page)
        self.assertIn('<tr><th>relu&#x27;(0)</th><td>0</td><td class="same">0</td></tr>', page)
        self.assertNotIn('Conventions', report.page(self.runs))

    def test_two_versions_of_an_engine_are_two_columns(self):
        runs = [dict(RUN, engine='libtorch', name='libtorch', version=version, findings=[],
                     conventions=[{'point': "abs'(0)", 'choice': choice, 'twin': '0'}])
                for version, choice in (('1.13.0', '1'), ('2.15.0', '0'))]
        page = report.page(runs)
        self.assertIn('<tr><th>area</th><th>libtorch 1.13.0</th><th>libtorch 2.15.0</th></tr>', page)
        self.assertIn('<tr><th>point</th><th>twin</th><th>libtorch 1.13.0</th><th>libtorch 2.15.0</th></tr>', page)
        self.assertIn('<td>0</td><td class="other">1</td><td class="same">0</td></tr>', page)
        self.assertIn('<tr><th>libtorch 2.15.0</th><td>7</td><td>100</td>', page)
        suites = ElementTree.fromstring(report.junit(runs)).findall('testsuite')
        self.assertEqual([suite.get('name') for suite in suites], ['libtorch 1.13.0', 'libtorch 2.15.0'])

    def test_runs_of_one_engine_are_one_column(self):
        other = dict(RUN, seed=8, findings=[], areas={'view': {'agree': 1000, 'refuse': 5}})
        page = report.page(self.runs + [other])
        self.assertIn('<tr><th>area</th><th>exec:a &lt;b&gt;</th></tr>', page)
        self.assertIn('<td class="bad" title="agree 1009, refuse 5, wrong 1">1 / 1,010</td>', page)

    def test_what_was_refused_is_not_good(self):
        refused = dict(RUN, findings=[], areas={'view': {'refuse': 9}},
                       conventions=[{'point': "abs'(0)", 'choice': 'refuse', 'twin': '0'}])
        page = report.page([refused])
        self.assertIn('<tr><th>view</th><td class="none" title="refuse 9">-</td></tr>', page)
        self.assertIn('<td class="none">refuse</td>', page)
        self.assertIn('<p>None.</p>', page)

    def test_a_run_of_the_repositorys_own_engine_has_two_outcomes(self):
        page = report.page([{'type': 'run', 'engine': '', 'seed': 7, 'programs': 100, 'failed': 1, 'findings': []}])
        self.assertIn('<th>twingrad</th><td>7</td><td>100</td><td>99</td><td>1</td></tr>', page)
        self.assertIn('title="agree 99, wrong 1">1 / 100</td>', page)

    def test_a_finding_says_how_often_and_how_to_repeat_it(self):
        page = report.page([dict(RUN, findings=[dict(FINDING, more=12, folder='findings/twin-<1>')])])
        self.assertIn('seed 9, and 12 more like it</h3>', page)
        self.assertIn('replay findings/twin-&lt;1&gt;</pre>', page)

    def test_a_line_of_something_else_is_named(self):
        for line, problem in (('[1]', 'no object'), ('{"type": "run"}', 'no seed of type int'),
                              (json.dumps(dict(FINDING, text=5)), 'no text of type str'),
                              ('\udcff', 'no JSON')):
            path = write([json.dumps(RUN)])
            with open(path, 'a', encoding='utf-8', errors='surrogateescape') as out:
                out.write(line + '\n')
            with self.assertRaises(SystemExit) as raised:
                report.read([path])
            self.assertIn(f':2: {problem}', str(raised.exception))

    def test_files_are_found_where_the_command_was_typed_and_told_when_missing(self):
        folder = os.path.dirname(write([]))
        with open(os.path.join(folder, 'a.jsonl'), 'w', encoding='utf-8') as out:
            out.write(json.dumps(RUN) + '\n')
        with mock.patch.dict(os.environ, BUILD_WORKING_DIRECTORY=folder):
            report.main(['--junit=j.xml', '--html=h.html', 'a.jsonl'])
            ElementTree.parse(os.path.join(folder, 'j.xml'))
            for words in (['--junit=k.xml', 'missing.jsonl'], ['--junit=no/k.xml', 'a.jsonl']):
                with self.assertRaises(SystemExit) as raised:
                    report.main(words)
                self.assertIn('(No such file or directory); allowed', str(raised.exception))
        self.assertEqual(sorted(os.listdir(folder)), ['a.jsonl', 'h.html', 'j.xml', 'run.jsonl'])
        with self.assertRaises(SystemExit) as raised, contextlib.redirect_stderr(io.StringIO()) as errors:
            report.main(['a.jsonl'])
        self.assertEqual(raised.exception.code, 2)
        self.assertIn('nothing is to be written', errors.getvalue())

    def test_a_broken_line_is_named(self):
        with self.assertRaises(SystemExit) as raised:
            report.read([write([json.dumps(RUN), 'oops'])])
        self.assertIn(':2: no JSON', str(raised.exception))

    def test_main_writes_both(self):
        folder = tempfile.mkdtemp()
        junit, page = os.path.join(folder, 'junit.xml'), os.path.join(folder, 'page.html')
        report.main(['--junit', junit, '--html', page, write([json.dumps(RUN)])])
        self.assertTrue(os.path.getsize(junit) > 0 and os.path.getsize(page) > 0)


if __name__ == '__main__':
    unittest.main()
