"""Makes one C++ test program of the ```cpp snippets of READMEs.

    generate.py --context=context.inc --out=FILE.cc README...

A snippet becomes a test with the README's name, in a namespace of its own; its includes go to the top. What it takes
as given stands in context.inc, in a section with the README's path: declarations, and after a line `//! inside` what
comes before the snippet in its function.

What a comment at the end of a line says is checked, where it has one of these forms:

    std::cout << y;             // 6, 8              what is printed holds this text
    Tensor h = Hessian(f, x);   // [[6, 0], [0, 12]] the text of h holds this; brackets, quotes or a number begin it
    Name(kFreed);               // "freed", ...      the value is this
    column.BumpVersion();       // a.version() == 1  this holds; until `;` or `:`
    throw Error(...);                                the line throws Error

Spaces and line ends do not count, and a text ends at `: ` and `; `. Other comments are prose. A snippet that begins with `// PATH` of a file is an
excerpt of it and is not compiled; tidy looks whether each of its lines stands there.
"""

import argparse
import re
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

_BLOCK = re.compile(r'^```cpp\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r'^//! (\S+\.md)\n', re.MULTILINE)
_INSIDE = '//! inside\n'
_EXCERPT = re.compile(r'// ([\w/]+\.(?:h|cc))(?::[^\n]*)?\n')
_COMMENT = re.compile(r'^(?P<code>[^"\n]*?(?:"(?:[^"\\]|\\.)*"[^"\n]*?)*?)\s*//\s*(?P<text>.*)$')
_DECLARATION = re.compile(r'\s*(?:const )?[\w:<>]+ (\w+) = ')
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_VALUE = re.compile(r'[\[\d-]')


class SnippetError(Exception):
    """What is wrong, with path and line."""


class Snippet(NamedTuple):
    path: str
    line: int  # of its first line of code
    text: str


def snippets(path: str, text: str) -> List[Snippet]:
    return [Snippet(path, text.count('\n', 0, match.start(1)) + 1, match.group(1)) for match in _BLOCK.finditer(text)]


def contexts(text: str) -> Dict[str, Tuple[str, str]]:
    """By README: declarations, and what comes before the snippet in its function."""
    pieces = _SECTION.split(text)
    found: Dict[str, Tuple[str, str]] = {}
    for path, body in zip(pieces[1::2], pieces[2::2]):
        declarations, _, inside = body.partition(_INSIDE)
        found[path] = (declarations, inside)
    return found


def _quoted(text: str) -> str:
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def checked(code: str) -> str:
    """A line of a snippet with what its comment says as a check."""
    if re.match(r'\s*throw ', code):
        statement = _COMMENT.match(code)
        return f'EXPECT_THROW({(statement.group("code") if statement else code).strip().rstrip(";")}, twingrad::Error);'
    match = _COMMENT.match(code)
    if not match or not match.group('code').strip():
        return code
    statement, comment = match.group('code'), match.group('text')
    declared = _DECLARATION.match(statement)
    said = re.split('[;:] ', comment)[0]
    if statement.lstrip().startswith('std::cout <<'):
        return f'{{ twingrad_snippets::Capture capture; {statement.strip()} capture.Holds({_quoted(said)}); }}'
    if ' == ' in comment:
        return f'{statement} EXPECT_TRUE({said});'
    if declared and _VALUE.match(comment):
        return f'{statement} twingrad_snippets::Holds({declared.group(1)}, {_quoted(said)});'
    literal = _LITERAL.match(comment)
    if literal and not declared:
        return f'EXPECT_EQ({statement.strip().rstrip(";")}, {literal.group(0)});'
    if literal and declared:
        return f'{statement} EXPECT_EQ({declared.group(1)}, {literal.group(0)});'
    return statement


def _test_name(path: str) -> str:
    return ''.join(part.capitalize() for part in re.split(r'\W|_', path.rsplit('/', 1)[0]))


def test_of(snippet: Snippet, context: Tuple[str, str]) -> str:
    declarations, inside = context
    name = f'{_test_name(snippet.path)}{snippet.line}'
    lines = [f'namespace snippet_{name} {{', 'using namespace twingrad;', declarations, f'TEST_F(Readme, {name}) {{', inside,
             f'#line {snippet.line} "{snippet.path}"']
    for line in snippet.text.splitlines():
        lines.append('' if line.startswith('#include') else checked(line))
    return '\n'.join(lines + ['}', f'}}  // namespace snippet_{name}', ''])


def changed_lines(snippet: Snippet, file: str) -> List[int]:
    """The lines of an excerpt that its file does not have; spaces and comments do not count."""
    known = {_plain(line) for line in file.splitlines()}
    return [snippet.line + offset for offset, line in enumerate(snippet.text.splitlines()) if _plain(line) not in known | {''}]


def _plain(line: str) -> str:
    return ''.join(line.split('//')[0].split())


def excerpt_of(snippet: Snippet) -> Optional[str]:
    match = _EXCERPT.match(snippet.text)
    return match.group(1) if match else None


def program(readmes: Dict[str, str], context: str) -> str:
    given = contexts(context)
    includes = set(re.findall(r'^#include .*$', context, re.MULTILINE))
    tests: List[str] = []
    for path, text in sorted(readmes.items()):
        for snippet in snippets(path, text):
            if excerpt_of(snippet) is not None:
                continue
            includes.update(re.findall(r'^#include ["<][^">]*[">]', snippet.text, re.MULTILINE))
            declarations, inside = given.get(path, ('', ''))
            tests.append(test_of(snippet, (re.sub(r'^#include .*\n', '', declarations, flags=re.MULTILINE), inside)))
    unknown = sorted(set(given) - set(readmes))
    if unknown:
        raise SnippetError(f'{unknown[0]} has a context and is not among the READMEs; take it out, or name the README')
    top = ('// Made of the snippets of READMEs by tools/snippets/generate.py.\n'
           '#pragma GCC diagnostic ignored "-Wunused-variable"  // What a snippet shows it need not use.\n')
    return top + '\n'.join(sorted(includes)) + '\n#include "tools/snippets/capture.h"\n\n' + '\n'.join(tests)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--context', required=True)
    parser.add_argument('--out', required=True)
    parser.add_argument('readmes', nargs='+')
    given = parser.parse_args(arguments)
    texts = {}
    for path in [given.context, *given.readmes]:
        with open(path, encoding='utf-8') as file:
            texts[path] = file.read()
    try:
        text = program({path: texts[path] for path in given.readmes}, texts[given.context])
    except SnippetError as error:
        print(f'[snippets] {error}', file=sys.stderr)
        return 1
    with open(given.out, 'w', encoding='utf-8') as file:
        file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
