"""Snippets in READMEs: each is compiled and run by //tools/snippets, or is an excerpt of a file that is still so.

Those under .github show what a reader would add to several files, and are neither.
"""

import os
from typing import Dict, Iterator, Optional

from tools.snippets import generate
from tools.tidy.rules import Finding

_BUILD = 'tools/snippets/BUILD.bazel'


def check_snippets(texts: Dict[str, Optional[str]]) -> Iterator[Finding]:
    """texts: every file of the tree, by its path."""
    build = texts.get(_BUILD) or ''
    for path, text in sorted(texts.items()):
        if not path.endswith('.md') or path.startswith('.github/') or not text:
            continue
        for snippet in generate.snippets(path, text):
            file = generate.excerpt_of(snippet)
            if file is not None:
                for line in generate.changed_lines(snippet, texts.get(file) or ''):
                    yield Finding(path, line, f'this line is not in {file}, which the snippet names; take it from there')
            elif f'"//{os.path.dirname(path)}:{os.path.basename(path)}"' not in build:
                yield Finding(path, snippet.line, f'this snippet is not tested; name the file in {_BUILD}')
