"""Renders the JSON lines that `check --report=FILE` writes: JUnit XML, and one HTML page.

    report.py --junit=junit.xml --html=report.html RUN.jsonl...

A line of type `run` opens a run of an engine, its lines of type `finding` follow. The page holds the matrix
of engines by areas, the outcomes of each run, the conventions of each engine, and each finding with its Program, its graph where the
finding's folder is at hand, and a snippet for PyTorch where the Program can be written in it.
"""

import argparse
import html
import json
import os
import re
import sys
from xml.etree import ElementTree

from tools.adapters.python import snippet as pytorch

BAD = ('wrong', 'crash', 'hang', 'memory', 'protocol')


# What XML 1.0 cannot hold, not even escaped.
CONTROL = re.compile('[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def legible(record):
    """The record, with a replacement character for what no page and no XML can show."""
    if isinstance(record, dict):
        return {key: legible(value) for key, value in record.items()}
    if isinstance(record, list):
        return [legible(value) for value in record]
    return CONTROL.sub('\ufffd', record) if isinstance(record, str) else record


def read(paths):
    """The runs, each with its findings under 'findings'."""
    runs = []
    for path in paths:
        with open(path, encoding='utf-8') as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = legible(json.loads(line))
                except ValueError as error:
                    raise SystemExit(f'[report] {path}:{number}: no JSON ({error}); allowed are lines that '
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


def cell(outcomes):
    total, bad = sum(outcomes.values()), sum(outcomes.get(word, 0) for word in BAD)
    title = html.escape(', '.join(f'{k} {v}' for k, v in sorted(outcomes.items())))
    kind = 'none' if not total else 'bad' if bad else 'good'
    return f'<td class="{kind}" title="{title}">{bad} / {total}</td>'


def matrix(runs):
    """Rows: areas; columns: runs, for there are fewer."""
    areas = sorted({area for run in runs for area in run.get('areas', {})})
    rows = ['<tr><th>area</th>' + ''.join(f'<th>{html.escape(name(run))}</th>' for run in runs) + '</tr>']
    for area in areas:
        cells = ''.join(cell(run.get('areas', {}).get(area, {})) for run in runs)
        rows.append(f'<tr><th>{html.escape(area)}</th>{cells}</tr>')
    return '<table>' + ''.join(rows) + '</table>'


def conventions(runs):
    """Rows: points without a derivative; columns: the twin, and each engine that was asked."""
    asked = [run for run in runs if run.get('conventions')]
    if not asked:
        return ''
    choices, twins, points = {}, {}, []
    for run in asked:
        for row in run['conventions']:
            if row['point'] not in points:
                points.append(row['point'])
            choices[name(run), row['point']] = row['choice']
            twins[row['point']] = row['twin']
    engines = list(dict.fromkeys(name(run) for run in asked))
    cells = ['<tr><th>point</th><th>twin</th>' + ''.join(f'<th>{html.escape(e)}</th>' for e in engines) + '</tr>']
    for point in points:
        row = ''
        for engine in engines:
            choice = choices.get((engine, point), '')
            kind = 'none' if not choice else 'same' if choice == twins[point] else 'other'
            row += f'<td class="{kind}">{html.escape(choice)}</td>'
        cells.append(f'<tr><th>{html.escape(point)}</th><td>{html.escape(twins[point])}</td>{row}</tr>')
    return '<h2>Conventions: gradients where no derivative exists</h2><table>' + ''.join(cells) + '</table>'


def graph(finding):
    path = os.path.join(finding.get('folder', ''), 'graph.svg')
    if not os.path.isfile(path):
        return ''
    with open(path, encoding='utf-8') as svg:
        text = svg.read()
    return text[max(0, text.find('<svg')):]


def finding_html(run, finding, snippet):
    parts = [f'<h3>{html.escape(finding["oracle"])}: {html.escape(name(run))}, seed {finding["seed"]}</h3>',
             f'<pre>{html.escape(finding["text"])}</pre>', f'<pre>{html.escape(finding["program"])}</pre>',
             graph(finding)]
    python = snippet(finding['program'])
    if python:
        parts.append(f'<h4>In PyTorch</h4><pre>{html.escape(python)}</pre>')
    return ''.join(parts)


STYLE = ('body{font-family:sans-serif;margin:2em auto;max-width:100em;padding:0 1em}'
         'table{border-collapse:collapse}td,th{border:1px solid #999;padding:2px 8px;text-align:right}'
         'th{background:#f4f4f4}tr>th:first-child{text-align:left;font-weight:normal}'
         'td{white-space:nowrap}.good{background:#dfd}.bad{background:#fbb}.other{background:#ffd}.none{color:#999}'
         'pre{background:#f4f4f4;padding:8px;overflow-x:auto}svg{max-width:100%;height:auto}'
         'h3{margin-top:2em;border-top:1px solid #999;padding-top:1em}')


def page(runs, snippet=pytorch.snippet):
    parts = ['<!doctype html><meta charset="utf-8"><title>Conformance</title>', f'<style>{STYLE}</style>',
             '<h1>Conformance</h1><h2>Findings by area / programs</h2>', matrix(runs), '<h2>Outcomes</h2><ul>']
    for run in runs:
        outcomes = ', '.join(f'{k} {v:,}' for k, v in run.get('outcomes', {}).items() if v)
        parts.append(f'<li>{html.escape(name(run))}, seed {run["seed"]}: {run["programs"]:,} programs; '
                     f'{html.escape(outcomes)}</li>')
    parts += ['</ul>', conventions(runs), '<h2>Findings</h2>']
    parts += [finding_html(run, finding, snippet) for run in runs for finding in run['findings']]
    return '\n'.join(parts) + '\n'


def main(words):
    parser = argparse.ArgumentParser(description='JSON lines to JUnit XML and HTML')
    parser.add_argument('--junit')
    parser.add_argument('--html')
    parser.add_argument('runs', nargs='+')
    arguments = parser.parse_args(words)
    runs = read(arguments.runs)
    for path, render in ((arguments.junit, junit), (arguments.html, page)):
        if path:
            with open(path, 'w', encoding='utf-8') as out:
                out.write(render(runs))


if __name__ == '__main__':
    main(sys.argv[1:])
