"""What an adapter with a name of its own needs beside its row in adapters.bzl, and what of it is missing."""

import os
import re
from typing import Dict, List

_ADAPTERS = 'tools/adapters'


def _text(root: str, path: str) -> str:
    try:
        with open(os.path.join(root, path), encoding='utf-8') as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ''


def _missing_of(root: str, name: str, package: str) -> List[str]:
    """For one row."""
    folder = f'{_ADAPTERS}/{name}'
    lines = []
    if not re.search(rf'ag_binary\(\s*name = "{name}"', _text(root, f'{folder}/BUILD.bazel')):
        lines.append(f'{folder}/BUILD.bazel has no ag_binary of the name {name}; it builds the adapter')
    if not _text(root, f'{folder}/README.md'):
        lines.append(f'{folder}/README.md is missing; it says what the adapter claims, what it does not, and why')
    if f']({name}/README.md)' not in _text(root, f'{_ADAPTERS}/README.md'):
        lines.append(f'{_ADAPTERS}/README.md has no row of {name}; its table lists the children')
    if package:
        prerequisites = _text(root, 'tools/prerequisites.sh')
        group = re.search(rf'PACKAGES_{name}="([^"]*)"', prerequisites)
        engines = re.search(r'ENGINES="([^"]*)"', prerequisites)
        if group is None or package not in group[1].split() or engines is None or name not in engines[1].split():
            lines.append(f'tools/prerequisites.sh has no {name} in ENGINES with a group PACKAGES_{name} of {package}; '
                         f'tools/bazel installs it for --engine={name}')
    return lines


def missing(root: str, rows: Dict[str, str]) -> List[str]:
    """One line for each thing that is missing below `root`; `rows` maps the names in adapters.bzl to packages."""
    lines = []
    for name, package in sorted(rows.items()):
        lines.extend(_missing_of(root, name, package))
    for name in sorted(os.listdir(os.path.join(root, _ADAPTERS))):
        build = _text(root, f'{_ADAPTERS}/{name}/BUILD.bazel')
        if name not in rows and re.search(rf'ag_binary\(\s*name = "{name}"', build):
            lines.append(f'{_ADAPTERS}/adapters.bzl has no row of {name}; with it --engine={name} starts the adapter')
    return lines
