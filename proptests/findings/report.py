"""Renders the JSON lines that `check --report=FILE` writes: JUnit XML, and one HTML page.

    report.py --junit=junit.xml --html=report.html RUN.jsonl...

A line of type `run` opens a run of an engine, its lines of type `finding` follow. The page holds the matrix of
engines by areas (runs of one engine are added up), the outcomes of each run, the conventions of each engine, and
each finding with its Program, its graph where the finding's folder is at hand, a snippet for PyTorch where the
Program can be written in it, and the command that repeats it.
"""

import argparse
import collections
import html
import json
import os
import re
import sys
from xml.etree import ElementTree

from tools.adapters.python import snippet as pytorch

# What the lines of each type hold at least.
MEMBERS = {'run': {'seed': int, 'programs': int, 'failed': int, 'seconds': float},
           'finding': {'seed': int, 'oracle': str, 'text': str, 'program': str}}
BAD = ('wrong', 'crash', 'hang', 'memory', 'protocol')
JUDGED = ('agree', 'convention', 'explained', *BAD)


# What XML 1.0 cannot hold, not even escaped.
CONTROL = re.compile('[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def legible(record):
    """The record, with a replacement character for what no page and no XML can show."""
    if isinstance(record, dict):
        return {key: legible(value) for key, value in record.items()}
    if isinstance(record, list):
        return [legible(value) for value in record]
    return CONTROL.sub('\ufffd', record) if isinstance(record, str) else record


def resolve(path):
    """The path from where the command was typed, which under `bazel run` is not the working directory."""
    return os.path.join(os.environ.get('BUILD_WORKING_DIRECTORY', ''), path)


def wrong(record):
    """What a line lacks that is to be shown; None: nothing."""
    if not isinstance(record, dict):
        return 'no object'
    for key, kind in MEMBERS.get(record.get('type'), {}).items():
        if not isinstance(record.get(key), (kind, int) if kind is float else kind):
            return f'no {key} of type {kind.__name__}'
    return None


def read(paths):
    """The runs, each with its findings under 'findings'."""
    runs = []
    for path in map(resolve, paths):
        with open(path, encoding='utf-8', errors='replace') as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = legible(json.loads(line))
                    problem = wrong(record)
                except ValueError as error:
                    problem = f'no JSON ({error})'
                if problem:
                    raise SystemExit(f'[report] {path}:{number}: {problem}; allowed are lines that '
                                     '`check --report=FILE` wrote; remove the line')
                if record.get('type') == 'run':
                    runs.append(dict(record, findings=[]))
                elif record.get('type') == 'finding' and runs:
                    runs[-1]['findings'].append(record)
    return runs


def name(run):
    """The engine as it named itself, with its version; the flag where it did not get so far."""
    if run.get('name'):
        return f'{run["name"]} {run.get("version", "")}'.strip()
    return run.get('engine') or 'twingrad'


def junit(runs):
    """A test suite a run: a test case a finding, one more for the Programs that agreed."""
    suites = ElementTree.Element('testsuites')
    for run in runs:
        suite = ElementTree.SubElement(
            suites, 'testsuite', name=name(run), tests=str(len(run['findings']) + 1),
            failures=str(len(run['findings'])), errors='0', time=f'{run["seconds"]:.3f}')
        ElementTree.SubElement(suite, 'testcase', classname=name(run), name=f'seed {run["seed"]}: '
                               f'{run["programs"] - run["failed"]} of {run["programs"]} programs without finding')
        for finding in run['findings']:
            case = ElementTree.SubElement(suite, 'testcase', classname=name(run),
                                          name=f'{finding["oracle"]}-{finding["seed"]}')
            failure = ElementTree.SubElement(case, 'failure', message=finding['text'].split('\n')[0],
                                             type=finding['oracle'])
            failure.text = finding['text'] + '\n' + finding['program']
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding='unicode') + '\n'


def cell(counts):
    """Findings / Programs on which there was a verdict; nothing is good where all were refused."""
    judged, bad = (sum(counts.get(word, 0) for word in words) for words in (JUDGED, BAD))
    title = html.escape(', '.join(f'{k} {v}' for k, v in sorted(counts.items()) if v))
    kind = 'bad' if bad else 'good' if judged else 'none'
    return f'<td class="{kind}" title="{title}">{f"{bad:,} / {judged:,}" if judged else "-"}</td>'


def engines(runs):
    """The runs of each engine, in the order of their first."""
    groups = {}
    for run in runs:
        groups.setdefault(name(run), []).append(run)
    return groups


def outcomes(run):
    """Those of the run; of one of the repository's own engine, which has no others, the two that there are."""
    return run.get('outcomes') or {'agree': run['programs'] - run['failed'], 'wrong': run['failed']}


def added(tallies):
    """One tally of many."""
    return dict(sum(map(collections.Counter, tallies), collections.Counter()))


def row(first, cells):
    return f'<tr><th>{html.escape(first)}</th>{"".join(cells)}</tr>'


def table(words, rows):
    head = ''.join(f'<th>{html.escape(word)}</th>' for word in words)
    return f'<table><tr>{head}</tr>{"".join(rows)}</table>'


def matrix(runs):
    """Rows: areas; columns: engines, for there are fewer."""
    groups = engines(runs)
    rows = [row(area, (cell(added(run.get('areas', {}).get(area, {}) for run in group)) for group in groups.values()))
            for area in sorted({area for run in runs for area in run.get('areas', {})})]
    total = row('all Programs', (cell(added(map(outcomes, group))) for group in groups.values()))
    return table(['area', *groups], [*rows, total])


def outcomes_table(runs):
    """Rows: runs; columns: the outcomes that any of them had."""
    words = [word for word in (*JUDGED, 'refuse', 'not_judged')
             if any(outcomes(run).get(word) for run in runs)]
    return table(['engine', 'seed', 'programs', *words], [
        row(name(run), [f'<td>{run["seed"]}</td><td>{run["programs"]:,}</td>',
                        *(f'<td>{outcomes(run).get(word, 0):,}</td>' for word in words)]) for run in runs])


def conventions(runs):
    """Rows: points without a derivative; columns: the twin, and each engine that was asked."""
    asked = [run for run in runs if run.get('conventions')]
    if not asked:
        return ''
    choices, twins = {}, {}
    for run in asked:
        for asked_of in run['conventions']:
            choices[name(run), asked_of['point']] = asked_of['choice']
            twins[asked_of['point']] = asked_of['twin']

    def choice_cell(engine, point):
        choice = choices.get((engine, point), '')
        kind = 'none' if choice in ('', 'refuse') else 'same' if choice == twins[point] else 'other'
        return f'<td class="{kind}">{html.escape(choice)}</td>'

    names = list(engines(asked))
    rows = [row(point, [f'<td>{html.escape(twin)}</td>', *(choice_cell(engine, point) for engine in names)])
            for point, twin in twins.items()]
    return '<h2>Conventions: gradients where no derivative exists</h2>' + table(['point', 'twin', *names], rows)


def graph(finding):
    path = os.path.join(finding.get('folder', ''), 'graph.svg')
    if not os.path.isfile(path):
        return ''
    with open(path, encoding='utf-8') as svg:
        text = svg.read()
    return text[max(0, text.find('<svg')):]


def finding_html(run, finding, snippet):
    more = f', and {finding["more"]:,} more like it' if finding.get('more') else ''
    parts = [f'<h3>{html.escape(finding["oracle"])}: {html.escape(name(run))}, seed {finding["seed"]}{more}</h3>',
             f'<pre>{html.escape(finding["text"])}</pre>', f'<pre>{html.escape(finding["program"])}</pre>',
             graph(finding)]
    python = snippet(finding['program'])
    if python:
        parts.append(f'<h4>In PyTorch</h4><pre>{html.escape(python)}</pre>')
    if finding.get('folder'):
        replay = f'tools/bazel run //tools/oracle -- replay {finding["folder"]}'
        parts.append(f'<h4>To repeat it</h4><pre>{html.escape(replay)}</pre>')
    return ''.join(parts)


STYLE = ('body{font-family:sans-serif;margin:2em auto;max-width:100em;padding:0 1em}'
         'table{border-collapse:collapse}td,th{border:1px solid #999;padding:2px 8px;text-align:right}'
         'th{background:#f4f4f4}tr>th:first-child{text-align:left;font-weight:normal}'
         'td{white-space:nowrap}.good{background:#dfd}.bad{background:#fbb}.other{background:#ffd}.none{color:#999}'
         'p{max-width:60em}pre{background:#f4f4f4;padding:8px;overflow-x:auto}svg{max-width:100%;height:auto}'
         'h3{margin-top:2em;border-top:1px solid #999;padding-top:1em}')


def page(runs, snippet=pytorch.snippet):
    findings = [finding_html(run, finding, snippet) for run in runs for finding in run['findings']]
    return '\n'.join([
        '<!doctype html><meta charset="utf-8"><title>Conformance</title>', f'<style>{STYLE}</style>',
        '<h1>Conformance</h1>',
        '<p>Random Programs, run by each engine and judged by a reference. Every Program counts in each area that it '
        'touches. A cell says in how many something was wrong, of those on which there was a verdict; - where there was '
        'none. Refused: the engine does not do this. Convention: another choice where no derivative exists. Explained: '
        'a known failure of this version.</p>',
        '<h2>Wrong / judged, by area</h2>', matrix(runs), '<h2>Outcomes of each run</h2>', outcomes_table(runs),
        conventions(runs), '<h2>Findings</h2>', *(findings or ['<p>None.</p>'])]) + '\n'


def main(words):
    parser = argparse.ArgumentParser(description='JSON lines to JUnit XML and HTML')
    parser.add_argument('--junit')
    parser.add_argument('--html')
    parser.add_argument('runs', nargs='+')
    arguments = parser.parse_args(words)
    if not arguments.junit and not arguments.html:
        parser.error('nothing is to be written; allowed are --junit=FILE and --html=FILE; give one or both')
    try:
        runs = read(arguments.runs)
        # Rendered before any file is opened: none is left half written.
        pages = [(path, render(runs)) for path, render in ((arguments.junit, junit), (arguments.html, page)) if path]
        for path, text in pages:
            with open(resolve(path), 'w', encoding='utf-8') as out:
                out.write(text)
    except OSError as error:
        raise SystemExit(f'[report] cannot read or write {error.filename or "the output"} ({error.strerror}); '
                         'allowed is a path that this user may read or write; check the path')


if __name__ == '__main__':
    main(sys.argv[1:])
