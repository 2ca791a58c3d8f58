"""Tests of summary on events of the shapes that Bazel writes."""

import json
import os
import tempfile
import unittest

from tools.ci import summary


def _count(lines):
    return summary.read_events(lines).count()


def _configured(label, is_test=True):
    configured = {'targetKind': 'cc_test rule', 'testSize': 'SMALL'} if is_test else {'targetKind': 'cc_library rule'}
    return json.dumps({'id': {'targetConfigured': {'label': label}}, 'configured': configured})


def _summary(label, status):
    return json.dumps({'id': {'testSummary': {'label': label}}, 'testSummary': {'overallStatus': status}})


def _skipped(label):
    return json.dumps({'id': {'targetCompleted': {'label': label}}, 'aborted': {'reason': 'SKIPPED'}})


class CountEventsTest(unittest.TestCase):

    def test_libraries_do_not_count(self):
        self.assertEqual(_count([_configured('//a:lib', is_test=False)]), (0, 0))

    def test_passed_and_failed(self):
        lines = [_configured('//a'), _configured('//b'), _summary('//a', 'PASSED'), _summary('//b', 'TIMEOUT')]
        self.assertEqual(_count(lines), (1, 1))

    def test_what_passed_on_a_retry_failed(self):
        self.assertEqual(_count([_configured('//a'), _summary('//a', 'FLAKY')]), (0, 1))

    def test_skipped_tests_count_as_neither(self):
        self.assertEqual(_count([_configured('//a'), _skipped('//a')]), (0, 0))

    def test_a_test_that_did_not_build_failed(self):
        self.assertEqual(_count([_configured('//a')]), (0, 1))


class ReportTest(unittest.TestCase):

    def test_tests_that_failed_come_with_the_end_of_their_logs(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'test log')
            with open(log, 'w', encoding='utf-8') as file:
                file.writelines(f'line {i}\n' for i in range(100))
            output = {'name': 'test.log', 'uri': 'file://' + log.replace(' ', '%20')}
            result = {'id': {'testResult': {'label': '//b'}}, 'testResult': {'testActionOutput': [output]}}
            events = summary.read_events([_configured('//a'), _summary('//a', 'PASSED'), _configured('//b'),
                                          json.dumps(result), _summary('//b', 'FAILED'), _configured('//c')])
        lines = summary.report('test', events).splitlines()
        self.assertEqual(lines[0], '--- test: //b failed')
        self.assertEqual(lines[1], '(no log: No such file or directory)')
        self.assertEqual(lines[2:], ['--- test: //c failed', '(it did not run)'])

    def test_a_log_ends_with_its_last_lines(self):
        with tempfile.NamedTemporaryFile('w', encoding='utf-8') as log:
            log.writelines(f'line {i}\n' for i in range(100))
            log.flush()
            self.assertEqual(summary.end_of(log.name).splitlines()[0], 'line 70')
            self.assertEqual(summary.end_of(log.name).splitlines()[-1], 'line 99')


class SummarizeTest(unittest.TestCase):

    def test_a_failed_stage_fails_though_no_test_did(self):
        with tempfile.TemporaryDirectory() as folder:
            for stage, status, events in (('format', 1, None), ('install', 0, None),
                                          ('test', 0, [_configured('//a'), _summary('//a', 'PASSED')]),
                                          ('tsan', 1, [_configured('//a'), _summary('//a', 'FAILED')])):
                with open(os.path.join(folder, stage + '.status'), 'w', encoding='utf-8') as file:
                    file.write(f'{status}\n')
                if events is not None:
                    with open(os.path.join(folder, stage + '.json'), 'w', encoding='utf-8') as file:
                        file.write('\n'.join(events))
            self.assertEqual(summary.summarize(folder), (1, 2))


if __name__ == '__main__':
    unittest.main()
