"""Which headers are installed: those that users include, and what these include in turn.

An installed header includes other installed headers and the standard library, nothing else: no type of a third party
stands in the interface. `#if defined(AUTOGRAD_SYNC_MODEL)` is for tests; what lies behind it is not installed.
"""

import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

# What users include; the README of the folder autograd names them too.
ROOTS = (
    'autograd/autograd.h',
    'autograd/functional/devices.h',
    'autograd/functional/functional.h',
    'autograd/gradcheck/gradcheck.h',
    'autograd/inspect/dot.h',
    'autograd/inspect/trace.h',
    'autograd/optim/adam.h',
    'autograd/optim/sgd.h',
    'autograd/safetensors/safetensors.h',
)

_INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
_CONDITION = re.compile(r'^\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b(.*)')
_MODEL = 'AUTOGRAD_SYNC_MODEL'
# Headers of the standard library have neither folder nor suffix.
_STANDARD = re.compile(r'[a-z_]+')


class Foreign(NamedTuple):
    """An include that an installed header may not have."""
    path: str
    line: int
    included: str


def _includes(text: str) -> Iterator[Tuple[int, str, bool]]:
    """Line, path, and whether it stands in angle brackets; nothing of what only the model's back end includes."""
    model: List[bool] = []  # By open condition: whether this branch is for the model.
    for number, line in enumerate(text.splitlines(), start=1):
        condition = _CONDITION.match(line)
        if condition:
            word, rest = condition.groups()
            if word.startswith('if'):
                model.append(_MODEL in rest and '!' not in rest and word != 'ifndef')
            elif word == 'endif':
                model.pop()
            else:
                model[-1] = False
        include = _INCLUDE.match(line)
        if include and not any(model):
            yield number, include.group(1) or include.group(2), include.group(2) is not None


def closure(read: Callable[[str], Optional[str]], roots: Tuple[str, ...] = ROOTS) -> Tuple[Dict[str, str], List[Foreign]]:
    """The text of each installed header by its path, and the includes of others.

    `read` gives the text of a file of the repository, None if there is none.
    """
    found: Dict[str, str] = {}
    foreign: List[Foreign] = []
    pending = [(root, '', 1) for root in reversed(roots)]
    while pending:
        path, included_by, line = pending.pop()
        if path in found:
            continue
        text = read(path)
        if text is None:
            foreign.append(Foreign(included_by or path, line, path))
            continue
        found[path] = text
        for number, included, angled in _includes(text):
            if not angled:
                pending.append((included, path, number))
            elif not _STANDARD.fullmatch(included):
                foreign.append(Foreign(path, number, included))
    return found, sorted(foreign)
