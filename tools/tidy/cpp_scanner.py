"""Just enough C++ lexing for the style checks: text without comments and literals, and function bodies.

It is no parser. A brace opens a function if it follows a parameter list (with qualifiers, a trailing
return type or an initializer list) outside any other function; the repository is formatted by
clang-format, which makes that reliable. Positions and line numbers are those of the original text.
"""

import re
from typing import Iterator, List, NamedTuple

_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<delimiter>[^()\\ ]{0,16})\(.*?\)(?P=delimiter)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


class Switch(NamedTuple):
    """A switch statement: its line, and its body without the bodies of switches inside it."""
    first_line: int
    body: str


class Function(NamedTuple):
    """A function body: lines are 1-based and inclusive, from the opening brace to the closing one."""
    first_line: int
    last_line: int
    body: str


def blank_literals(text: str) -> str:
    """Replaces comments and the insides of literals by blanks; every newline keeps its place."""

    def blank(match: 're.Match[str]') -> str:
        token = match.group(0)
        blanks = re.sub(r'[^\n]', ' ', token)
        if token.startswith('/'):
            return blanks
        return token[0] + blanks[1:-1] + token[-1]  # A literal still looks like one.

    return _TOKEN.sub(blank, text)


def blank_directives(code: str) -> str:
    """Replaces preprocessor lines (with continuations) by blanks."""
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m.group(0)),
                  code, flags=re.MULTILINE)


def _opens_function(head: str) -> bool:
    head = head.strip()
    if re.match(r'(inline\s+)?namespace\b|extern\b[^(]*$', head) or '(' not in head:
        return False
    without_template = re.sub(r'^template\s*<[^{}]*?>\s*(?=class|struct|union)', '', head)
    if re.match(r'(class|struct|union|enum)\b[^()]*(\([^()]*\)[^()]*)?$', without_template):
        return False
    # `= {`, `return {`: an initializer. `) = default` never gets here, for it has no brace.
    return not re.search(r'(=|,|\breturn)$', head)


def functions(code: str) -> Iterator[Function]:
    """Yields the outermost functions of code that went through both blank_* functions."""
    stack: List[bool] = []  # For each open brace: does it open an outermost function?
    starts: List[int] = []
    head_start = 0
    parentheses = 0
    inside = False
    for position, character in enumerate(code):
        if character in '([':
            parentheses += 1
        elif character in ')]':
            parentheses -= 1
        elif character == '{':
            opens = not inside and parentheses == 0 and _opens_function(code[head_start:position])
            stack.append(opens)
            if opens:
                inside = True
                starts.append(position)
            head_start = position + 1
        elif character == '}':
            if stack and stack.pop():
                inside = False
                start = starts.pop()
                yield Function(code.count('\n', 0, start) + 1, code.count('\n', 0, position) + 1,
                               code[start:position + 1])
            head_start = position + 1
        elif character == ';' and parentheses == 0:
            head_start = position + 1


def switches(code: str) -> Iterator[Switch]:
    """Yields the switch statements of code that went through blank_literals, inner ones apart from outer ones."""
    starts = [match.start() for match in re.finditer(r'\bswitch\s*\(', code)]
    blanked = code
    for start in reversed(starts):  # An inner one starts after the outer one, so it comes first and is blanked.
        depth = 0
        for position in range(start, len(blanked)):
            depth += {'{': 1, '}': -1}.get(blanked[position], 0)
            if depth == 0 and blanked[position] == '}':
                body = blanked[start:position + 1]
                yield Switch(code.count('\n', 0, start) + 1, body)
                blanked = blanked[:start] + re.sub(r'[^\n]', ' ', body) + blanked[position + 1:]
                break
