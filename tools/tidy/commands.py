"""Commands in documents name what is there: targets after tools/bazel, scripts after python3.

Those under .github name what a reader would add. A target counts as there if its package's BUILD file has its name as a word, or the name without a suffix that a macro of
//tools/rules adds.
"""

import os
import re
from typing import Collection, Dict, Iterator, Optional

from tools.tidy.rules import Finding

_COMMAND = re.compile(r'tools/bazel ([^\n`#]*)')
_LABEL = re.compile(r"(?:^|[\s('\"])-?(//[\w./-]*(?::[\w./*-]+)?|:[\w.-]+)")
_SCRIPT = re.compile(r'\bpython3 ([\w./-]+/[\w.-]+\.py)\b')
_BUILD = 'BUILD.bazel'
_WILD = {'all', '*', 'all-targets'}
# What macros append to their names.
_SUFFIXES = ('_test', '_lib', '_library', '_plain', '_program', '_fake', '.model', '.fake', '.afl')


def _has_target(package: str, name: str, texts: Dict[str, Optional[str]], paths: Collection[str]) -> bool:
    build = texts.get(os.path.join(package, _BUILD))
    if build is None:
        return False
    names = [name, *(name[:-len(suffix)] for suffix in _SUFFIXES if name.endswith(suffix))]
    # TARGET.DEFECT is a fuzz target over a planted defect.
    words = [each.split('.') for each in names]
    return name in _WILD or os.path.join(package, name) in paths or any(f'"{each}"' in build for each in names) or any(
        len(pair) == 2 and all(f'"{word}"' in build for word in pair) for pair in words)


def _exists(label: str, texts: Dict[str, Optional[str]], paths: Collection[str]) -> bool:
    package, _, name = label[2:].partition(':')
    if package == '...' or package.endswith('/...'):
        folder = package[:-len('...')].rstrip('/')
        return not name and any(path.startswith(folder) and os.path.basename(path) == _BUILD for path in texts)
    return _has_target(package, name or os.path.basename(package), texts, paths)


def check_commands(path: str, texts: Dict[str, Optional[str]], paths: Collection[str]) -> Iterator[Finding]:
    """One finding for each target or script that the document at `path` names and that is not there."""
    text = texts[path]
    if not path.endswith('.md') or path.startswith('.github/') or not text:
        return
    for match in _COMMAND.finditer(text):
        line = text.count('\n', 0, match.start()) + 1
        for label in _LABEL.findall(match.group(1).split(' -- ')[0]):
            if not _exists(label if label.startswith('//') else '//' + label, texts, paths):
                yield Finding(path, line, f'{label} is no target; correct the command or delete it')
    for match in _SCRIPT.finditer(text):
        if match.group(1) not in paths:
            yield Finding(path, text.count('\n', 0, match.start()) + 1,
                          f'{match.group(1)} is no file; correct the command or delete it')
