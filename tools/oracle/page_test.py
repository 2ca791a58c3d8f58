"""The page of a campaign in a browser: it renders, its filters work, it logs no error, and a phone shows it whole.

Chromium is driven over the pipe that it offers for this: JSON, each message ended by a zero byte.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest

MAKE = 'fuzz/campaign/make_synthetic'
ORACLE = 'tools/oracle/fake_oracle'
TARGET = 'fuzz/campaign/targets/fake_target.py'
KINDS, GROUPS = 6, 2
CHROMIUM = shutil.which('chromium')
PATIENCE = 120  # seconds, on a busy machine
PHONE = 360  # points


class Browser:
    """One page of a headless Chromium. `errors` is what its console was told."""

    def __init__(self):
        command_in, self.commands = os.pipe()
        self.answers, answer_out = os.pipe()
        self.folder = tempfile.mkdtemp()
        # The browser looks at 3 and 4, which either end may have.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (command_in, answer_out)]

        def place():
            for number, end in enumerate(ends, 3):
                os.dup2(end, number)

        self.process = subprocess.Popen(
            [CHROMIUM, '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
             f'--user-data-dir={self.folder}', '--remote-debugging-pipe', 'about:blank'],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.folder))
        for end in (command_in, answer_out, *ends):
            os.close(end)
        self.errors, self.number, self.session, self.rest = [], 0, None, b''
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')

    def message(self, deadline):
        while b'\0' not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError('the browser does not answer')
            read = os.read(self.answers, 1 << 16)
            if not read:
                raise EOFError('the browser has ended')
            self.rest += read
        text, _, self.rest = self.rest.partition(b'\0')
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        words = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            words['sessionId'] = self.session
        os.write(self.commands, json.dumps(words).encode() + b'\0')
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self.message(deadline)
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message['result']
            self.note(message)

    def note(self, message):
        told = message.get('params', {})
        if message.get('method') == 'Runtime.exceptionThrown':
            self.errors.append(told['exceptionDetails'].get('exception', told['exceptionDetails']))
        elif message.get('method') == 'Runtime.consoleAPICalled' and told['type'] in ('error', 'warning', 'assert'):
            self.errors.append(told['args'])
        elif message.get('method') == 'Log.entryAdded' and told['entry']['level'] in ('error', 'warning'):
            self.errors.append(told['entry'])

    def show(self, path, width):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=800, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call('Page.navigate', url='file://' + path)
        deadline = time.monotonic() + PATIENCE
        while self.ask('document.readyState') != 'complete' or self.ask('location.protocol') != 'file:':
            if time.monotonic() > deadline:
                raise TimeoutError('the page is not loaded')

    def ask(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(f'{expression}: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@unittest.skipUnless(CHROMIUM, 'no browser: the package chromium is not installed')
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        top = tempfile.mkdtemp()
        folder = os.path.join(top, 'c')
        subprocess.run([MAKE, folder, '6', '24', str(KINDS)], check=True)
        subprocess.run([ORACLE, 'campaign', 'merge', folder], check=False, stdout=subprocess.DEVNULL)
        cls.page = os.path.join(folder, 'merged', 'index.html')
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.browser.errors.clear()
        self.browser.show(self.page, 1000)

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def rows(self):
        return self.browser.ask('document.querySelectorAll("#findings > details").length')

    def choose(self, control, value):
        self.browser.ask(f'$("{control}").value = {json.dumps(value)}; $("{control}").dispatchEvent(new Event("input"))')

    def open_all(self):
        """Until nothing is left to open: a row has its variants when it was opened."""
        while self.browser.ask('(() => { const shut = [...document.querySelectorAll("details:not([open])")];'
                               'shut.forEach(e => { e.open = true; e.dispatchEvent(new Event("toggle")); });'
                               'return shut.length; })()'):
            pass

    def test_it_renders(self):
        self.assertIn('6 of 6 shards, 60 Programs, 6 findings in 2 groups',
                      self.browser.ask('document.querySelector("h1").textContent'))
        self.assertEqual(self.rows(), GROUPS)
        self.assertEqual(self.browser.ask('document.querySelectorAll("#curves svg polyline").length > 0'), True)
        self.assertEqual(self.browser.ask('document.querySelectorAll("#jobs tr").length'), 2)

    def test_variants_are_folded_below_their_row(self):
        self.assertEqual(self.browser.ask('document.querySelectorAll("#findings details").length'), GROUPS)
        self.open_all()
        self.assertEqual(self.browser.ask('document.querySelectorAll("#findings details").length'), KINDS)
        # What a process has said is text, whatever it looks like.
        shown = self.browser.ask('$("findings").textContent')
        self.assertIn('said "]]>" </script> & ```` \x1b[31mred', shown)
        self.assertEqual(self.browser.ask('document.scripts.length'), 1)

    def test_a_job_has_the_summary_of_its_verb(self):
        self.open_all()
        self.assertEqual(self.browser.ask('document.querySelectorAll("#summaries details").length'), 1)
        self.assertTrue(self.browser.ask('document.querySelector("#summaries pre").textContent').startswith('lines  '))

    def test_curves_of_a_fuzz_job_are_of_edges_against_runs(self):
        folder = os.path.join(tempfile.mkdtemp(), 'c')
        plan = {'shards': 2, 'jobs': [{'verb': 'fuzz', 'programs': 60, 'flags': {'target': os.path.abspath(TARGET)}}]}
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(plan, file)
            file.flush()
            subprocess.run([ORACLE, 'campaign', 'plan', file.name, f'--out={folder}'], check=True)
        subprocess.run([ORACLE, 'campaign', 'work', folder], check=True)
        subprocess.run([ORACLE, 'campaign', 'merge', folder], check=True, stdout=subprocess.DEVNULL)
        self.browser.show(os.path.join(folder, 'merged', 'index.html'), 1000)
        words = self.browser.ask('[...document.querySelectorAll("#curves text")].map(e => e.textContent)')
        self.assertIn('runs', words)
        self.assertIn('edges', words)
        # The united curve, and that of each shard, have points beside their beginning.
        points = self.browser.ask('[...document.querySelectorAll("#curves polyline")].map(e => '
                                  'e.getAttribute("points").split(" ").length)')
        self.assertEqual(len(points), 3)
        self.assertGreaterEqual(min(points), 2)

    def test_filters_filter(self):
        self.choose('rule', 'dual')
        self.assertEqual(self.rows(), 1)
        self.assertEqual(self.browser.ask('document.querySelector("#findings .tag").textContent'), 'dual')
        self.choose('rule', '')
        self.choose('op', 'exp')
        self.assertEqual(self.rows(), GROUPS)
        self.choose('text', 'no such text')
        self.assertEqual(self.rows(), 0)
        self.assertEqual(self.browser.ask('$("shown").textContent'), '0 shown')
        self.choose('text', '')
        self.choose('engine', 'twingrad')
        self.assertEqual(self.rows(), GROUPS)

    def test_a_filter_may_leave_a_part_of_a_row(self):
        signature = self.browser.ask('data.found[data.rows[0].findings[1]].signature')
        self.choose('text', signature)
        self.assertEqual(self.rows(), 1)
        self.assertEqual(self.browser.ask('$("shown").textContent'), '1 shown')

    def test_planted_defects_are_shown_when_asked_for(self):
        self.browser.ask('data.rows[0].planted = true;'
                         'data.rows[0].findings.forEach(i => data.found[i].planted = true); drawFindings()')
        self.assertEqual(self.rows(), GROUPS - 1)
        self.browser.ask('$("planted").click()')
        self.assertEqual(self.rows(), GROUPS)
        self.assertEqual(self.browser.ask('document.querySelectorAll(".tag.planted").length'), 1)

    def test_a_phone_shows_it_whole(self):
        self.browser.show(self.page, PHONE)
        self.open_all()
        self.assertLessEqual(self.browser.ask('document.documentElement.scrollWidth'), PHONE)
        # Letters are as large as elsewhere, and what is wider than the screen scrolls by itself.
        self.assertGreaterEqual(self.browser.ask('parseFloat(getComputedStyle(document.body).fontSize)'), 14)
        self.assertEqual(self.browser.ask(
            '[...document.querySelectorAll("#findings pre, .filters, summary")]'
            f'.filter(e => e.getBoundingClientRect().right > {PHONE}).length'), 0)


if __name__ == '__main__':
    unittest.main()
