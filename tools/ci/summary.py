#!/usr/bin/env python3
"""Counts the tests of several `bazel test` runs from their build event files; prints `N passed, N failed`.

    summary.py FOLDER    holds NAME.status (exit status of the stage) and, for stages of tests, NAME.json

A stage without tests counts as failed only if it failed; so does a stage of tests that failed with no failed
test to show for it. A test that did not build, timed out or passed only on a retry counts as failed.
"""

import json
import os
import sys
from typing import Dict, Iterable, NamedTuple


class Count(NamedTuple):
    passed: int
    failed: int


def count_events(lines: Iterable[str]) -> Count:
    """Reads the JSON lines of --build_event_json_file."""
    passed: Dict[str, bool] = {}  # By label of each test that should have run.
    for line in lines:
        event = json.loads(line)
        kind, identity = next(iter(event['id'].items()))
        if kind == 'targetConfigured' and 'testSize' in event.get('configured', {}):
            passed[identity['label']] = False
        elif kind == 'targetCompleted' and event.get('aborted', {}).get('reason') == 'SKIPPED':
            passed.pop(identity['label'], None)
        elif kind == 'testSummary':
            passed[identity['label']] = event['testSummary'].get('overallStatus') == 'PASSED'
    return Count(sum(passed.values()), len(passed) - sum(passed.values()))


def count_stage(status: int, events: Iterable[str]) -> Count:
    """The tests of one stage, with one failure at least where the stage failed."""
    count = count_events(events)
    if status != 0 and count.failed == 0:
        return Count(count.passed, 1)
    return count


def summarize(folder: str) -> Count:
    total = Count(0, 0)
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
        count = count_stage(status, lines)
        total = Count(total.passed + count.passed, total.failed + count.failed)
    return total


def main() -> int:
    total = summarize(sys.argv[1])
    print(f'{total.passed} passed, {total.failed} failed')
    return 1 if total.failed else 0


if __name__ == '__main__':
    sys.exit(main())
