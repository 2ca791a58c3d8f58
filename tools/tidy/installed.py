"""Installed headers include each other and the standard library, so that no type of a third party is in the interface.

Which they are, //tools/install says.
"""

from typing import Dict, Iterator, Optional

from tools.install import headers
from tools.tidy.rules import Finding


def check_installed(texts: Dict[str, Optional[str]]) -> Iterator[Finding]:
    """texts: every file of the tree, by its path."""
    for path, line, included in headers.closure(texts.get)[1]:
        yield Finding(path, line, f'an installed header includes {included}; use what autograd/base offers in its place, '
                                  'or hide it in the source')
