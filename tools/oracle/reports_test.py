"""The reports of a merge: SARIF by the rules of its schema that matter, JUnit by an XML parser, texts of issues.

The findings hold what ends strings, elements and fences, control characters, and bytes that are no UTF-8.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
import urllib.parse
from xml.etree import ElementTree

MAKE = 'fuzz/campaign/make_synthetic'
ORACLE = 'tools/oracle/fake_oracle'
SHARDS, FINDINGS, KINDS = 6, 24, 6

TEXT = {'text': (str, True)}
# Of SARIF 2.1.0: the members of each object that may be there, with their types, and whether they must be. A table is
# an object, a list of one is an array of such, a set holds the allowed words.
ARTIFACT = {'uri': (str, False), 'uriBaseId': (str, False)}
SARIF = {
    '$schema': (str, False),
    'version': ({'2.1.0'}, True),
    'runs': ([{
        'tool': ({'driver': ({
            'name': (str, True),
            'rules': ([{'id': (str, True), 'shortDescription': (TEXT, False)}], False)}, True)}, True),
        'automationDetails': ({'id': (str, False)}, False),
        'invocations': ([{
            'executionSuccessful': (bool, True),
            'toolExecutionNotifications': ([{
                'level': ({'none', 'note', 'warning', 'error'}, False), 'message': (TEXT, True)}], False)}], False),
        'originalUriBaseIds': ({'CAMPAIGN': (ARTIFACT, True)}, False),
        'results': ([{
            'ruleId': (str, False),
            'ruleIndex': (int, False),
            'kind': ({'notApplicable', 'pass', 'fail', 'review', 'open', 'informational'}, False),
            'level': ({'none', 'note', 'warning', 'error'}, False),
            'message': (TEXT, True),
            'locations': ([{'physicalLocation': ({
                'artifactLocation': (ARTIFACT, False),
                'region': ({'startLine': (int, False)}, False)}, False)}], False),
            'occurrenceCount': (int, False),
            'partialFingerprints': ({'finding/v1': (str, False), 'group/v1': (str, False)}, False),
            'properties': ({'verb': (str, True), 'flags': (str, True), 'seed': (str, True), 'shard': (int, True),
                            'index': (int, True), 'replay': (str, True)}, False)}], True)}], True)}


def faults(value, rule, where='log'):
    """What of `value` does not keep the rule."""
    if isinstance(rule, set):
        return [] if value in rule else [f'{where}: {value!r} is none of {sorted(rule)}']
    if isinstance(rule, list):
        if not isinstance(value, list):
            return [f'{where}: no array']
        return [fault for i, item in enumerate(value) for fault in faults(item, rule[0], f'{where}[{i}]')]
    if isinstance(rule, dict):
        if not isinstance(value, dict):
            return [f'{where}: no object']
        found = [f'{where}: unknown member {name}' for name in value if name not in rule]
        for name, (inner, needed) in rule.items():
            if name in value:
                found += faults(value[name], inner, f'{where}.{name}')
            elif needed:
                found.append(f'{where}: no {name}')
        return found
    return [] if type(value) is rule else [f'{where}: {value!r} is no {rule.__name__}']


def oracle(folder, *words):
    return subprocess.run([ORACLE, *words], capture_output=True, check=False,
                          env=dict(os.environ, BUILD_WORKING_DIRECTORY=folder))


class ReportsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp()
        cls.folder = os.path.join(cls.top, 'a campaign')  # a blank in a path is none in a URI
        subprocess.run([MAKE, cls.folder, str(SHARDS), str(FINDINGS), str(KINDS)], check=True)
        merge = oracle(cls.top, 'campaign', 'merge', cls.folder)
        assert merge.returncode == 1, merge.stderr

    def read(self, name):
        with open(os.path.join(self.folder, 'merged', name), 'rb') as file:
            return file.read().decode('utf-8')  # strictly

    def test_sarif_keeps_the_rules_of_its_schema(self):
        log = json.loads(self.read('findings.sarif'))
        self.assertEqual(faults(log, SARIF), [])
        run = log['runs'][0]
        self.assertEqual(len(run['results']), KINDS)
        rules = [rule['id'] for rule in run['tool']['driver']['rules']]
        self.assertEqual(sorted(rules), ['dual', 'twin'])  # each once
        base = run['originalUriBaseIds']['CAMPAIGN']['uri']
        self.assertTrue(base.startswith('file:///') and base.endswith('/'), base)
        for result in run['results']:
            self.assertEqual(rules[result['ruleIndex']], result['ruleId'])
            self.assertGreaterEqual(result['occurrenceCount'], 1)
            place = result['locations'][0]['physicalLocation']
            uri = urllib.parse.urljoin(base, place['artifactLocation']['uri'])
            with open(urllib.parse.unquote(urllib.parse.urlsplit(uri).path), encoding='utf-8') as program:
                self.assertLessEqual(place.get('region', {}).get('startLine', 1), len(program.readlines()))
        self.assertEqual(len({r['partialFingerprints']['finding/v1'] for r in run['results']}), KINDS)
        self.assertEqual(len({r['partialFingerprints']['group/v1'] for r in run['results']}), 2)

    def test_the_rules_find_what_is_wrong(self):
        log = json.loads(self.read('findings.sarif'))
        log['runs'][0]['results'][0]['level'] = 'fatal'
        del log['runs'][0]['results'][1]['message']
        log['runs'][0]['tool']['driver']['rules'][0]['colour'] = 'red'
        self.assertEqual(len(faults(log, SARIF)), 3)

    def test_junit_is_xml_that_counts_right(self):
        suites = ElementTree.fromstring(self.read('junit.xml').encode())
        self.assertEqual(suites.tag, 'testsuites')
        suite = suites.find('testsuite')
        cases = suite.findall('testcase')
        failures = suite.findall('testcase/failure')
        self.assertEqual((suite.get('tests'), suite.get('failures')), (str(len(cases)), str(len(failures))))
        self.assertEqual(len(failures), KINDS)
        self.assertEqual(len({case.get('name') for case in cases}), len(cases))
        for failure in failures:
            self.assertIn('said "]]>" </script> & ```` \u241b[31mred\u2401 \ufffd', failure.text)
            self.assertIn('tools/bazel run //tools/oracle -- replay ', failure.text)
            self.assertNotIn('\n', failure.get('message'))

    def test_each_group_has_an_issue_to_paste(self):
        issues = os.listdir(os.path.join(self.folder, 'merged', 'issues'))
        self.assertEqual(len(issues), 2)
        for name in issues:
            text = self.read('issues/' + name)
            self.assertRegex(text, r'\A# (twin|dual): \.grad of %v\d+, statement \d: wrong \(exp\)\n')
            self.assertIn("replay '" + self.folder, text)
            self.assertIn('\n## Versions\n', text)
            # Every fence is closed by its like.
            fences = re.findall('^`{3,}$', text, re.MULTILINE)
            self.assertTrue(fences)
            self.assertEqual(fences[::2], fences[1::2])

    def test_nothing_found_is_well_formed_too(self):
        folder = os.path.join(self.top, 'none')
        subprocess.run([MAKE, folder, '2', '0', '1'], check=True)
        self.assertEqual(oracle(self.top, 'campaign', 'merge', folder).returncode, 0)
        with open(folder + '/merged/findings.sarif', encoding='utf-8') as file:
            log = json.load(file)
        self.assertEqual(faults(log, SARIF), [])
        self.assertEqual(log['runs'][0]['results'], [])
        suite = ElementTree.parse(folder + '/merged/junit.xml').find('testsuite')
        self.assertEqual((suite.get('tests'), suite.get('failures')), ('1', '0'))
        self.assertEqual(os.listdir(folder + '/merged/issues'), [])


if __name__ == '__main__':
    unittest.main()
