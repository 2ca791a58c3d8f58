#!/usr/bin/env python3
"""Checks the whole source tree against the rules of this folder; one line a finding, exit status 1 if any.

    tidy.py [WORKSPACE]    the WORKSPACE file of the tree to check; default: the tree this file is in
"""

import os
import sys
from typing import Dict, List, Optional

from tools.tidy import commands, includes, installed, layering, packages, rules, semantics, snippets

_ALLOWANCES = 'tools/tidy/allowances.txt'
_SKIPPED_FOLDERS = {'.git', '__pycache__'}
_READ = rules.CODE + ('.md', '.bazel', '.BUILD', '.txt', '.twin', '.schedule', '.patch')


def _list_tree(root: str) -> Dict[str, bool]:
    """All paths relative to root; True for folders. What .gitignore names at the top is left out."""
    ignored = rules.ignored_at_top(_read(os.path.join(root, '.gitignore')) or '')
    paths: Dict[str, bool] = {}
    for folder, children, files in os.walk(root):
        skipped = _SKIPPED_FOLDERS | ignored if folder == root else _SKIPPED_FOLDERS
        children[:] = [child for child in children if child not in skipped and
                       not (folder == root and child.startswith('bazel-')) and
                       not os.path.islink(os.path.join(folder, child))]
        files = [file for file in files if file not in skipped]
        for child in children:
            paths[os.path.relpath(os.path.join(folder, child), root)] = True
        for file in files:
            paths[os.path.relpath(os.path.join(folder, file), root)] = False
    return paths


def _read(path: str) -> Optional[str]:
    """The text of a file, or None for what is no text (corpora, pictures)."""
    try:
        with open(path, encoding='utf-8', newline='') as file:
            return file.read()
    except (UnicodeDecodeError, FileNotFoundError):
        return None


def read_tree(root: str) -> Dict[str, Optional[str]]:
    """The text of every file that a rule reads, by its path relative to root."""
    return {path: _read(os.path.join(root, path)) for path, is_folder in _list_tree(root).items()
            if not is_folder and path.endswith(_READ)}


def check_tree(root: str) -> List[rules.Finding]:
    paths = _list_tree(root)
    texts = read_tree(root)
    findings: List[rules.Finding] = []
    for path, text in sorted(texts.items()):
        if text is None:
            continue
        for check in (rules.check_text, rules.check_header_guard, rules.check_bans, rules.check_functions,
                      rules.check_switches):
            findings.extend(check(path, text))
        for check in (rules.check_opening_comment, rules.check_links):
            findings.extend(check(path, text, paths))
        findings.extend(includes.check_includes(path, texts))
        findings.extend(commands.check_commands(path, texts, paths))
    allowances = rules.parse_allowances(texts.get(_ALLOWANCES) or '')
    findings.extend(rules.check_tests(paths, texts, allowances, _ALLOWANCES))
    findings.extend(rules.check_readmes(paths, texts))
    findings.extend(rules.check_top(paths))
    findings.extend(semantics.check_semantics(texts))
    builds = {path: text for path, text in texts.items() if os.path.basename(path) == packages.BUILD and text}
    findings.extend(packages.check_packages(builds))
    findings.extend(layering.check_layering(texts))
    findings.extend(installed.check_installed(texts))
    findings.extend(snippets.check_snippets(texts))
    return findings


def main(arguments: List[str]) -> int:
    workspace = arguments[1] if len(arguments) > 1 else os.path.join(os.path.dirname(__file__), '../../WORKSPACE')
    root = os.path.dirname(os.path.realpath(workspace))
    findings = check_tree(root)
    for finding in findings:
        print(f'{finding.path}:{finding.line}: {finding.message}')
    print(f'{len(findings)} findings in {root}; repeat with: tools/bazel test //tools/tidy:repository_test')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
