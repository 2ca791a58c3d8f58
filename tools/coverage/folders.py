"""Coverage by folder: sums what `llvm-cov export -summary-only` says of each file, and prints the table."""

import collections
import dataclasses
import os

MEASURES = ('lines', 'functions', 'branches')


@dataclasses.dataclass
class Count:
    covered: int = 0
    total: int = 0

    def percent(self):
        return f'{100 * self.covered / self.total:6.1f} %' if self.total else '      - '


def by_folder(exported, root):
    """{folder: {measure: Count}} of the files below `root`, with a last row 'all'; folders are relative to it."""
    sums = collections.defaultdict(lambda: {measure: Count() for measure in MEASURES})
    for path, file in _files_below(exported, root):
        for folder in (os.path.dirname(path), 'all'):
            for measure in MEASURES:
                summary = file['summary'][measure]
                sums[folder][measure].covered += summary['covered']
                sums[folder][measure].total += summary['count']
    return {folder: sums[folder] for folder in sorted(sums, key=lambda f: (f == 'all', f))}


def never_run(exported, root):
    """The files below `root` of which no line ran."""
    return sorted(path for path, file in _files_below(exported, root)
                  if file['summary']['lines']['count'] and not file['summary']['lines']['covered'])


def _files_below(exported, root):
    for file in exported['data'][0]['files']:
        path = os.path.relpath(os.path.join(root, file['filename']), root)
        if not path.startswith('..'):
            yield path, file


def table(folders):
    """The folders as text, a line each."""
    width = max([len(folder) for folder in folders] + [len('folder')])
    lines = [f'{"folder":<{width}} {"lines":>16} {"functions":>12} {"branches":>12}']
    for folder, counts in folders.items():
        lines.append(f'{folder:<{width}} {counts["lines"].total:7d} {counts["lines"].percent()} '
                     f'{counts["functions"].percent():>12} {counts["branches"].percent():>12}')
    return '\n'.join(lines)


def test_binaries(labels, bin_folder):
    """The programs of these tests: //a/b:c lies in BIN_FOLDER/a/b/c. Scripts and tests that were skipped are left out."""
    programs = []
    for label in labels:
        package, _, name = label[2:].partition(':')
        path = os.path.join(bin_folder, package, name)
        if os.path.isfile(path) and _is_program(path):
            programs.append(path)
    return programs


def _is_program(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'
