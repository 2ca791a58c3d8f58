"""The repository's style rules: each takes one file (or the list of all) and yields what is wrong with it.

A finding says what is wrong with the actual values, what is allowed and what to do. Rules see paths
relative to the repository root, with forward slashes.
"""

import os
import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Set

from tools.tidy import cpp_scanner

MAX_LINES = 500
MAX_TEST_LINES = 700
MAX_FUNCTION_LINES = 70

CPP = ('.cc', '.h', '.cu', '.cuh')
CODE = CPP + ('.py', '.bzl', '.sh')
_TEXT = CODE + ('.md', '.bazel', '.BUILD', '.txt', '.yml', '.yaml')


class Finding(NamedTuple):
    path: str
    line: int
    message: str


class Ban(NamedTuple):
    pattern: 're.Pattern[str]'
    instead: str


def _ban(pattern: str, instead: str) -> Ban:
    return Ban(re.compile(pattern), instead)


# In production sources only autograd/sync may name these: a model build cannot see through them.
_PRODUCTION_BANS = [
    _ban(r'#\s*include\s*<(atomic|mutex|shared_mutex|condition_variable|thread|future|semaphore|latch|barrier'
         r'|stop_token)>', 'the header of autograd/sync that wraps it'),
    _ban(r'\bstd::(atomic\w*|memory_order\w*)\b', 'sync::Atomic'),
    _ban(r'\bstd::(\w*mutex|lock_guard|unique_lock|scoped_lock|shared_lock)\b', 'sync::Mutex and sync::MutexLock'),
    _ban(r'\bstd::condition_variable\w*', 'sync::CondVar'),
    _ban(r'\bstd::(j?thread|this_thread|async|future|promise|packaged_task)\b', 'sync::Thread'),
    _ban(r'\bstd::((atomic_)?(shared_ptr|weak_ptr)|make_shared|allocate_shared|enable_shared_from_this)\b',
         'sync::IntrusivePtr'),
    _ban(r'\bstd::(call_once|once_flag)\b|\babsl::(call_once|once_flag)\b', 'sync::Lazy of autograd/sync/once.h'),
    _ban(r'\bthread_local\b(?!\.h)', 'AG_THREAD_LOCAL of autograd/sync/thread_local.h'),
    _ban(r'#\s*include\s*"absl/synchronization/|\babsl::(Mutex\w*|CondVar|Notification|Barrier|BlockingCounter)\b',
         'sync::Mutex and sync::CondVar'),
    _ban(r'\b__(atomic|sync)_\w+', 'sync::Atomic'),
    # Production code is the same under the checker and knows nothing of it.
    _ban(r'\bkIsModel\b|\bAUTOGRAD_SYNC_MODEL\b|\bsync::model\b|#\s*include\s*"autograd/sync/model/',
         'code that is the same in both back ends of autograd/sync'),
    _ban(r'\bInspector\b|(\.|->)\s*Peek\s*\(', 'AG_INSPECTED and a rule in proptests/interleave'),
    _ban(r'#\s*include\s*"(proptests|fuzz|tools)/', 'what production code holds itself'),
]

_EVERYWHERE_BANS = [
    _ban(r'\bGTEST_SKIP\s*\(\s*\)\s*;', 'GTEST_SKIP() << the reason'),
    _ban(r'\bDISABLED_\w+', 'a test that runs, or none'),
    _ban(r'\busing\s+namespace\s+std\b', 'std:: where it is used'),
    _ban(r'\b(?:class|struct)\s+\w*(?:Manager|Helper|Utils?)\b', 'the noun of the field for what it is'),
    _ban(r'\bnamespace\s+autograd\b|(?<!:)\bautograd::', 'twingrad, the root namespace of everything'),
    _ban(r'\b(rand|srand)\s*\(|\bstd::random_device\b', 'a generator seeded from a printed seed'),
]

# A kernel is launched in one place, which builds over the fake runtime give another meaning.
_LAUNCHER = 'cuda/launch.h'
_LAUNCH_BAN = _ban(r'<<<', f'Launch of {_LAUNCHER}')

_UNFINISHED = re.compile(r'\b(TO' r'DO|FIX' r'ME|XX' r'X|HA' r'CK)\b')
_LOCAL_STATIC = re.compile(r'(?<!constexpr )(?<![\w:])static\s+(?!constexpr\b|constinit\b)'
                           r'(?![^;{=]*\bconstexpr\b)[^;]*')
_LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')


def is_test(path: str) -> bool:
    """Whether the file only tests: those may use the standard library's threads and be longer."""
    stem = os.path.splitext(path)[0]
    return stem.endswith(('_test', '_testing', '_benchmark')) or '/testing/' in path


def is_production(path: str) -> bool:
    return (path.startswith(('autograd/', 'cuda/')) and not path.startswith('autograd/sync/') and
            not is_test(path))


def check_text(path: str, text: str) -> Iterator[Finding]:
    """Blanks at line ends, tabs, carriage returns, the newline at the end, length, unfinished work."""
    if not path.endswith(_TEXT):
        return
    for number, line in enumerate(text.split('\n'), 1):
        if line.endswith((' ', '\t', '\r')):
            yield Finding(path, number, 'blanks at the end of the line; delete them')
        if path.endswith(CODE) and '\t' in line:
            yield Finding(path, number, 'a tab; indent with blanks')
        if path.endswith(CODE) and _UNFINISHED.search(line):
            yield Finding(path, number, 'a mark of unfinished work; finish it, or say what does not hold')
    if text and not text.endswith('\n'):
        yield Finding(path, text.count('\n') + 1, 'no newline at the end of the file; add one')
    lines = text.count('\n')
    limit = MAX_TEST_LINES if is_test(path) else MAX_LINES
    if path.endswith(CODE) and lines > limit:
        yield Finding(path, limit, f'{lines} lines; at most {limit} are allowed; split it by concept')


def check_opening_comment(path: str, text: str, paths: Dict[str, bool]) -> Iterator[Finding]:
    """A file says first what it is, why it exists and what its contract is; a .cc leaves that to its header."""
    if path.endswith('.cc') and re.sub(r'(_test)?\.cc$', '.h', path) in paths:
        return
    openings = {'.py': '"""', '.bzl': '"""', '.sh': '#'}
    lines = text.split('\n')
    if lines and lines[0].startswith('#!'):
        lines = lines[1:]
    extension = os.path.splitext(path)[1]
    opening = '//' if extension in CPP else openings.get(extension)
    if opening and text and not (lines and lines[0].startswith(opening)):
        yield Finding(path, 1, f'no opening comment; start with {opening} and say what the file is, why, and its '
                      'contract')


def check_header_guard(path: str, text: str) -> Iterator[Finding]:
    # Headers of includes alone are those that are precompiled: the compiler's main file, where the line is an error.
    if not path.endswith(('.h', '.cuh')) or not re.search(r'^(?!#include|//|$)', text, re.MULTILINE):
        return
    if text.count('#pragma once\n') != 1 or '_H_\n' in text:
        yield Finding(path, 1, 'no `#pragma once`, or a guard beside it; a header has that one line')


def check_bans(path: str, text: str) -> Iterator[Finding]:
    """Names that have a replacement in this repository."""
    if not path.endswith(CPP):
        return
    code = cpp_scanner.blank_literals(text)
    bans = _EVERYWHERE_BANS + (_PRODUCTION_BANS if is_production(path) else [])
    if path != _LAUNCHER:
        bans = [*bans, _LAUNCH_BAN]
    # Names of include files are literals, hence the second look at the text itself.
    for number, (line, original) in enumerate(zip(code.split('\n'), text.split('\n')), 1):
        searched = original if line.lstrip().startswith('#') else line
        for ban in bans:
            match = ban.pattern.search(searched)
            if match:
                yield Finding(path, number, f'`{match.group(0).strip()}` is banned here; use {ban.instead}')


def check_functions(path: str, text: str) -> Iterator[Finding]:
    """Length of functions, and statics in them that are initialised at run time."""
    if not path.endswith(CPP):
        return
    code = cpp_scanner.blank_directives(cpp_scanner.blank_literals(text))
    for function in cpp_scanner.functions(code):
        lines = function.last_line - function.first_line + 1
        if lines > MAX_FUNCTION_LINES:
            yield Finding(path, function.first_line,
                          f'a function of {lines} lines; at most {MAX_FUNCTION_LINES} are allowed; split it')
        if not is_production(path):
            continue
        for match in _LOCAL_STATIC.finditer(function.body):
            line = function.first_line + function.body.count('\n', 0, match.start())
            yield Finding(path, line, 'a function-local static that is initialised at run time is banned here; '
                          'use constexpr, or a sync::Lazy object')


# A switch over these in these folders is a table of formulas: an op without a row must not compile.
_TABLES = ('autograd/reference/', 'proptests/generators/')
_TABLE_CASE = re.compile(r'\bcase\s+(?:\w+::)*(Opcode|Primitive)::')


def check_switches(path: str, text: str) -> Iterator[Finding]:
    """No `default:` where ops are switched over: it would give an op without a row the formula of another."""
    if not path.startswith(_TABLES) or not path.endswith(CPP):
        return
    for switch in cpp_scanner.switches(cpp_scanner.blank_literals(text)):
        enum = _TABLE_CASE.search(switch.body)
        if enum and re.search(r'\bdefault\s*:', switch.body):
            yield Finding(path, switch.first_line, f'a `default:` in a switch over {enum.group(1)}; name every '
                          'enumerator, so that a new one does not compile until it has a row')


_TOP = {'autograd', 'cuda', 'fuzz', 'golden', 'proptests', 'tools', 'BUILD.bazel', 'LICENSE', 'README.md', 'WORKSPACE'}


def ignored_at_top(gitignore: str) -> Set[str]:
    """The names at the top that the text of .gitignore names: built, or left by a run."""
    return {line.strip('/') for line in gitignore.split('\n') if line.startswith('/')}


def check_top(paths: Dict[str, bool]) -> Iterator[Finding]:
    """What stands at the top: exactly the house, and names that start with a dot."""
    present = {path for path in paths if '/' not in path and not path.startswith('.')}
    for path in sorted(present - _TOP):
        yield Finding(path, 1, f'does not belong at the top; only {", ".join(sorted(_TOP))} do; put it into one of them')
    for path in sorted(_TOP - present):
        yield Finding(path, 1, 'missing at the top of the repository; see README.md')


def check_links(path: str, text: str, paths: Dict[str, bool]) -> Iterator[Finding]:
    """Relative links of a markdown page lead to files or folders that exist."""
    if not path.endswith('.md'):
        return
    prose = re.sub(r'^```.*?^```', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text,
                   flags=re.MULTILINE | re.DOTALL)
    for match in _LINK.finditer(prose):
        target = match.group(1).split('#')[0]
        if not target or re.match(r'[a-z]+:', target):
            continue
        resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if resolved != '.' and resolved not in paths:
            yield Finding(path, prose.count('\n', 0, match.start()) + 1,
                          f'the link to {target} leads nowhere; correct it or delete it')


class Allowance(NamedTuple):
    """A source without a test beside it: what tests it, and why not beside it."""
    line: int
    path: str
    test: str
    reason: str


def parse_allowances(text: str) -> List[Allowance]:
    """Lines of `source | test | reason`; # starts a comment line. Raises ValueError with the line."""
    allowances = []
    for number, line in enumerate(text.split('\n'), 1):
        if not line.strip() or line.startswith('#'):
            continue
        fields = [field.strip() for field in line.split('|')]
        if len(fields) != 3 or not all(fields):
            raise ValueError(f'line {number}: not of the form `source | test | reason`: {line}')
        allowances.append(Allowance(number, *fields))
    return allowances


def check_tests(paths: Dict[str, bool], texts: Dict[str, Optional[str]], allowances: List[Allowance],
                allowances_path: str) -> Iterator[Finding]:
    """A test beside each source, or an allowance that is true. A fuzz target is tested by its corpus."""
    allowed = {allowance.path: allowance for allowance in allowances}
    for path in sorted(paths):
        stem, extension = os.path.splitext(path)
        if extension not in ('.cc', '.cu') or is_test(path) or path in allowed:
            continue
        if re.search(r'^extern "C" int LLVMFuzzerTestOneInput\([^)]*\) {', texts.get(path) or '', re.MULTILINE):
            continue
        if f'{stem}_test.cc' not in paths:
            yield Finding(path, 1, f'no test beside it; add {os.path.basename(stem)}_test.cc, or a line in '
                          f'{allowances_path} that names the test that covers it and why')
    for allowance in allowances:
        stem = os.path.splitext(allowance.path)[0]
        for needed in (allowance.path, allowance.test):
            if needed not in paths:
                yield Finding(allowances_path, allowance.line, f'{needed} does not exist; correct or delete the line')
        if f'{stem}_test.cc' in paths:
            yield Finding(allowances_path, allowance.line, f'{allowance.path} has a test beside it; delete the line')


def check_readmes(paths: Dict[str, bool], texts: Dict[str, Optional[str]]) -> Iterator[Finding]:
    """A README in each folder that holds code; data folders are described by the folder above."""
    folders = {os.path.dirname(path) for path in paths
               if path.endswith(CODE + ('BUILD.bazel',)) and not paths[path]}
    for folder in sorted(folders):
        readme = os.path.join(folder, 'README.md')
        if readme not in paths:
            yield Finding(readme, 1, 'missing; each folder has a README: one sentence, an example of five lines, '
                          'the children, three commands, where to start reading')
        elif not re.match(r'# \S[^\n]*\n\n\S', texts.get(readme) or ''):
            yield Finding(readme, 1, 'does not start with a title and one sentence; see the README of another folder')
