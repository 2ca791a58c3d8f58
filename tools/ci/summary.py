#!/usr/bin/env python3
"""Counts the tests of several `bazel test` runs from their build event files; prints `N passed, N failed`.

    summary.py FOLDER    holds NAME.status (exit status of the stage) and, for stages of tests, NAME.json

Before that line come the tests that failed, each with the end of its log. A stage without tests counts as failed only if it failed; so does a stage of tests that failed with no failed
test to show for it. A test that did not build, timed out or passed only on a retry counts as failed.
"""

import json
import os
import sys
import urllib.parse
from typing import Dict, Iterable, List, NamedTuple

_LINES_OF_A_LOG = 30
_LOGS = 5


class Count(NamedTuple):
    passed: int
    failed: int


class Events(NamedTuple):
    passed: Dict[str, bool]  # by label of each test that should have run
    logs: Dict[str, str]  # by label: the file of the last attempt

    def count(self) -> Count:
        return Count(sum(self.passed.values()), len(self.passed) - sum(self.passed.values()))

    def failed(self) -> List[str]:
        return sorted(label for label, passed in self.passed.items() if not passed)


def read_events(lines: Iterable[str]) -> Events:
    """Reads the JSON lines of --build_event_json_file."""
    passed: Dict[str, bool] = {}
    logs: Dict[str, str] = {}
    for line in lines:
        event = json.loads(line)
        kind, identity = next(iter(event['id'].items()))
        if kind == 'targetConfigured' and 'testSize' in event.get('configured', {}):
            passed[identity['label']] = False
        elif kind == 'targetCompleted' and event.get('aborted', {}).get('reason') == 'SKIPPED':
            passed.pop(identity['label'], None)
        elif kind == 'testSummary':
            passed[identity['label']] = event['testSummary'].get('overallStatus') == 'PASSED'
        elif kind == 'testResult':
            for output in event['testResult'].get('testActionOutput', []):
                if output.get('name') == 'test.log':
                    logs[identity['label']] = urllib.parse.unquote(urllib.parse.urlparse(output['uri']).path)
    return Events(passed, logs)


def count_stage(status: int, events: Events) -> Count:
    """The tests of one stage, with one failure at least where the stage failed."""
    count = events.count()
    if status != 0 and count.failed == 0:
        return Count(count.passed, 1)
    return count


def end_of(file: str) -> str:
    try:
        with open(file, encoding='utf-8', errors='replace') as log:
            return ''.join(log.readlines()[-_LINES_OF_A_LOG:]).rstrip('\n')
    except OSError as error:
        return f'(no log: {error.strerror})'


def report(stage: str, events: Events) -> str:
    """The tests that failed, the first ones with the end of their logs."""
    lines = []
    for i, label in enumerate(events.failed()):
        lines.append(f'--- {stage}: {label} failed')
        if i < _LOGS:
            lines.append(end_of(events.logs[label]) if label in events.logs else '(it did not run)')
    return '\n'.join(lines)


def stages(folder: str) -> Iterable:
    """(name, exit status, Events) of each."""
    for name in sorted(os.listdir(folder)):
        stage, extension = os.path.splitext(name)
        if extension != '.status':
            continue
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            status = int(file.read())
        events = os.path.join(folder, stage + '.json')
        lines = []
        if os.path.exists(events):
            with open(events, encoding='utf-8') as file:
                lines = [line for line in file if line.strip()]
        yield stage, status, read_events(lines)


def summarize(folder: str) -> Count:
    total = Count(0, 0)
    for _, status, events in stages(folder):
        count = count_stage(status, events)
        total = Count(total.passed + count.passed, total.failed + count.failed)
    return total


def main() -> int:
    for stage, _, events in stages(sys.argv[1]):
        if events.failed():
            print(report(stage, events))
    total = summarize(sys.argv[1])
    print(f'{total.passed} passed, {total.failed} failed')
    return 1 if total.failed else 0


if __name__ == '__main__':
    sys.exit(main())
