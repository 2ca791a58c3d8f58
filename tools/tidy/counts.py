#!/usr/bin/env python3
"""Counts lines, tests, assertions and goldens of a tree, so that a change that only tidies can show that none is lost.

    counts.py [FOLDER]...    one column a tree; default: the tree this file is in

Counts what git tracks there, by patterns: a macro that expands to several tests or assertions counts once, and so does
an assertion in a helper that many tests call.
"""

import os
import re
import subprocess
import sys
from typing import Dict, List

_TEST = re.compile(r'^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(|^\s*def test_\w+\(', re.MULTILINE)
_ASSERTION = re.compile(r'\b(?:EXPECT|ASSERT|RC_ASSERT|RC_FAIL)(?:_[A-Z_]+)?\(|\bself\.(?:assert\w+|fail)\(')
_CODE = ('.cc', '.h', '.cu', '.cuh', '.py', '.bzl', '.sh')


def count(texts: Dict[str, str]) -> Dict[str, int]:
    """texts: every tracked text file by its path."""
    code = {path: text for path, text in texts.items() if path.endswith(_CODE)}
    tests = {path: text for path, text in code.items() if path.endswith(('.cc', '.h', '.cu', '.py'))}

    def lines(chosen) -> int:
        return sum(text.count('\n') for text in chosen.values())

    return {
        'files': len(texts),
        'lines': lines(texts),
        'lines of code': lines(code),
        'lines of BUILD files': lines({path: text for path, text in texts.items() if path.endswith('BUILD.bazel')}),
        'lines of markdown': lines({path: text for path, text in texts.items() if path.endswith('.md')}),
        'tests': sum(len(_TEST.findall(text)) for text in tests.values()),
        'assertions': sum(len(_ASSERTION.findall(text)) for text in tests.values()),
        'goldens': sum(path.startswith('golden/') and path.endswith(('.twin', '.schedule')) for path in texts),
        'expectations in goldens': sum(len(re.findall(r'^expect ', text, re.MULTILINE)) for path, text in texts.items()
                                       if path.startswith('golden/')),
        'planted defects': sum(path.endswith('.patch') for path in texts),
    }


def read(folder: str) -> Dict[str, str]:
    """The tracked text files of a folder; pictures and corpora in binary are left out."""
    names = subprocess.run(['git', '-C', folder, 'ls-files', '-z'], check=True, capture_output=True, text=True).stdout
    texts = {}
    for name in filter(None, names.split('\0')):
        try:
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                texts[name] = file.read()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
    return texts


def main(arguments: List[str]) -> int:
    folders = arguments[1:] or [os.path.join(os.path.dirname(os.path.realpath(__file__)), '../..')]
    columns = [count(read(folder)) for folder in folders]
    for name in columns[0]:
        print(f'{name:24}' + ''.join(f'{column[name]:>10,}' for column in columns))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
