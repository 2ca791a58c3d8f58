"""The rules of autograd/semantics and what they are tied to: every link is checked in both directions.

A rule is a row `| id | state | rule | shown by |` of a page. Its last column names evidence: goldens by id, tests as
Suite.Name, planted defects by name. Back from there:

- a golden names rules in its line `# origin: autograd semantics, row A1 and B2`;
- a test names them in the comment line right above it, `// Rules: A1, B2.`;
- any text may cite a rule, as `(A5)`, `row A5` or in a cell of a table, and the rule must exist.

    python3 tools/tidy/semantics.py --fix    # writes the links of the pages and the comments of the tests
"""

import os
import re
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Set

from tools.tidy.rules import Finding

FOLDER = 'autograd/semantics/'
_STATES = ('done', 'part', 'not yet', 'n/a')
_ID = r'[A-T]\d{1,2}'
_ROW = re.compile(rf'^\| ({_ID}|[A-T]) \| ([^|]*) \| (.*) \| ?([^|]*?) ?\|$')
_LINKED = re.compile(r'^\[([^\]]+)\]\(([^)]*)\)$')
_TEST = re.compile(r'((?:^// [^\n]*\n)*)^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)', re.MULTILINE)
_BACK = re.compile(rf'^// Rules: ((?:{_ID}|[A-T])(?:, (?:{_ID}|[A-T]))*)\.$', re.MULTILINE)
_LIST = rf'({_ID}(?:(?:, | and ){_ID})*)'
_CITED = re.compile(rf'(?<!\w)\({_LIST}\)|\b[Rr](?:ow|ule)s? {_LIST}\b|\| ({_ID}) \|')
_CITING = ('.h', '.cc', '.cu', '.py', '.md', '.twin', '.schedule', '.txt', '.patch', '.bzl', '.bazel')


class Rule(NamedTuple):
    path: str
    line: int
    id: str
    state: str
    text: str
    links: Dict[str, str]  # name of the evidence -> target of the link, '' if there is none


class Evidence(NamedTuple):
    """A golden, a test or a planted defect. `rules`: those it names; None where it names none by nature."""
    path: str
    line: int
    rules: Optional[Set[str]]


def _names(text: str) -> Set[str]:
    return set(re.findall(rf'{_ID}|\b[A-T]\b', text))


def parse_page(path: str, text: str) -> Iterator[Rule]:
    for number, line in enumerate(text.split('\n'), 1):
        match = _ROW.match(line)
        if not match:
            continue
        links = {}
        for item in filter(None, match.group(4).split(', ')):
            linked = _LINKED.match(item)
            links[linked.group(1) if linked else item] = linked.group(2) if linked else ''
        yield Rule(path, number, match.group(1), match.group(2), match.group(3), links)


def evidence(texts: Dict[str, Optional[str]]) -> Dict[str, List[Evidence]]:
    """Everything that a rule can be shown by, under its name."""
    found: Dict[str, List[Evidence]] = {}
    for path, text in sorted(texts.items()):
        name, extension = os.path.splitext(os.path.basename(path))
        if path.startswith('golden/') and extension in ('.twin', '.schedule'):
            origin = re.search(r'^# origin: autograd semantics, (.*)$', text or '', re.MULTILINE)
            found.setdefault(name, []).append(Evidence(path, 1, _names(origin.group(1)) if origin else None))
        elif extension == '.patch':
            found.setdefault(name, []).append(Evidence(path, 1, None))
        elif path.endswith('_test.cc'):
            for match in _TEST.finditer(text or ''):
                back = _BACK.search(match.group(1))
                line = (text or '').count('\n', 0, match.end()) + 1
                found.setdefault(f'{match.group(2)}.{match.group(3)}', []).append(
                    Evidence(path, line, _names(back.group(1)) if back else set()))
    return found


def _target(rule: Rule, item: Evidence) -> str:
    return os.path.relpath(item.path, os.path.dirname(rule.path))


def _check_rule(rule: Rule, known: Dict[str, List[Evidence]]) -> Iterator[Finding]:
    if rule.state not in _STATES:
        yield Finding(rule.path, rule.line, f'{rule.id}: the state {rule.state!r} is none of {", ".join(_STATES)}')
    if rule.state == 'done' and not rule.links:
        yield Finding(rule.path, rule.line, f'{rule.id} is done and nothing shows it; name a golden or a test')
    if rule.state == 'part' and 'Not yet: ' not in rule.text:
        yield Finding(rule.path, rule.line, f'{rule.id} is done in part; say after `Not yet: ` what is missing')
    for name, target in rule.links.items():
        items = known.get(name, [])
        if not items:
            yield Finding(rule.path, rule.line, f'{rule.id} is shown by {name}, which does not exist; name another')
            continue
        if target not in [_target(rule, item) for item in items]:
            yield Finding(rule.path, rule.line, f'{rule.id}: {name} is linked to {target!r} and stands in '
                          f'{_target(rule, items[0])}; run python3 tools/tidy/semantics.py --fix')
        for item in items:
            if item.path.endswith('_test.cc') and rule.id not in (item.rules or ()):
                yield Finding(item.path, item.line, f'{name} shows {rule.id} and does not say so; run python3 '
                              'tools/tidy/semantics.py --fix')


def _check_citations(texts: Dict[str, Optional[str]], ids: Set[str]) -> Iterator[Finding]:
    for path, text in sorted(texts.items()):
        if not path.endswith(_CITING) or path.startswith('tools/tidy/'):
            continue
        for match in _CITED.finditer(text or ''):
            for name in sorted(_names(''.join(filter(None, match.groups()))) - ids):
                yield Finding(path, text.count('\n', 0, match.start()) + 1,
                              f'there is no rule {name} in {FOLDER}; cite another, or write it down there')


def check_semantics(texts: Dict[str, Optional[str]]) -> Iterator[Finding]:
    """texts: every text file of the repository by its path."""
    rules: Dict[str, Rule] = {}
    for path, text in sorted(texts.items()):
        if not path.startswith(FOLDER) or not path.endswith('.md'):
            continue
        for rule in parse_page(path, text or ''):
            if rule.id in rules:
                yield Finding(path, rule.line, f'{rule.id} is defined in {rules[rule.id].path} too; ids are permanent')
            rules[rule.id] = rule
    known = evidence(texts)
    for rule in rules.values():
        yield from _check_rule(rule, known)
    for name, items in known.items():
        for item in items:
            for rule_id in sorted(item.rules or ()):
                if rule_id in rules and name not in rules[rule_id].links:
                    yield Finding(item.path, item.line, f'{name} names {rule_id}, whose rule in '
                                  f'{rules[rule_id].path} does not name it; add it there')
    yield from _check_citations(texts, set(rules))
    for rule in rules.values():
        departs = '**Departs from PyTorch**' in rule.text
        listed = f'| {rule.id} |' in (texts.get(FOLDER + 'README.md') or '')
        if departs != listed:
            yield Finding(rule.path, rule.line, f'{rule.id} {"departs" if departs else "does not depart"} from PyTorch '
                          f'and is {"" if listed else "not "}listed in {FOLDER}README.md; make them agree')


def _fixed_page(path: str, text: str, known: Dict[str, List[Evidence]]) -> str:
    lines = text.split('\n')
    for rule in parse_page(path, text):
        shown = ', '.join(f'[{name}]({_target(rule, known[name][0])})' if name in known else name
                          for name in rule.links)
        lines[rule.line - 1] = f'| {rule.id} | {rule.state} | {rule.text} | {shown} |'.replace('|  |', '| |')
    return '\n'.join(lines)


def _fixed_test(text: str, shows: Dict[str, List[str]]) -> str:
    def fix(match: 're.Match[str]') -> str:
        comment = _BACK.sub('', match.group(1)).replace('\n\n', '\n').lstrip('\n')
        ids = shows.get(f'{match.group(2)}.{match.group(3)}')
        back = f'// Rules: {", ".join(ids)}.\n' if ids else ''
        return comment + back + match.group(0)[len(match.group(1)):]
    return _TEST.sub(fix, text)


def fix(texts: Dict[str, Optional[str]]) -> Dict[str, str]:
    """The pages and tests whose links are to be written anew."""
    known = evidence(texts)
    pages = [path for path in texts if path.startswith(FOLDER) and path.endswith('.md')]
    shows: Dict[str, List[str]] = {}
    for path in sorted(pages):
        for rule in parse_page(path, texts[path] or ''):
            for name in rule.links:
                shows.setdefault(name, []).append(rule.id)
    fixed = {path: _fixed_page(path, texts[path] or '', known) for path in pages}
    fixed.update({path: _fixed_test(text, shows) for path, text in texts.items()
                  if path.endswith('_test.cc') and text})
    return {path: text for path, text in fixed.items() if text != texts[path]}


def main(arguments: List[str]) -> int:
    from tools.tidy import tidy  # pylint: disable=import-outside-toplevel
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), '../..'))
    texts = tidy.read_tree(root)
    if '--fix' in arguments:
        for path, text in fix(texts).items():
            with open(os.path.join(root, path), 'w', encoding='utf-8', newline='') as file:
                file.write(text)
        texts = tidy.read_tree(root)
    findings = list(check_semantics(texts))
    for finding in findings:
        print(f'{finding.path}:{finding.line}: {finding.message}')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
