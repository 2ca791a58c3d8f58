"""Prints what is missing of an adapter that has a name, in this tree; and in trees made here with one half done."""

import os
import sys
import tempfile
import unittest

from tools.adapters import completeness

ROOT = os.getcwd()
ROWS = {}


class RepositoryTest(unittest.TestCase):

    def test_nothing_is_missing(self):
        self.assertTrue(ROWS, 'no row was given; run it by Bazel')
        missing = completeness.missing(ROOT, ROWS)
        self.assertFalse(missing, '\n'.join([''] + missing))


class HalfDoneTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write('tools/adapters/README.md', '| [toy](toy/README.md) | a toy |\n')
        self.write('tools/adapters/toy/README.md', '# toy\n')
        self.write('tools/adapters/toy/BUILD.bazel', 'ag_binary(\n    name = "toy",\n)\n')
        self.write('tools/prerequisites.sh', 'readonly ENGINES="toy"\nreadonly PACKAGES_toy="\n/usr/include/toy.h libtoy-dev\n"\n')

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def missing(self, package='libtoy-dev'):
        return completeness.missing(self.root, {'toy': package})

    def test_all_is_there(self):
        self.assertEqual(self.missing(), [])

    def test_a_row_alone(self):
        for path in ['README.md', 'toy/README.md', 'toy/BUILD.bazel']:
            os.remove(os.path.join(self.root, 'tools/adapters', path))
        os.remove(os.path.join(self.root, 'tools/prerequisites.sh'))
        said = '\n'.join(self.missing())
        self.assertIn('tools/adapters/toy/BUILD.bazel has no ag_binary of the name toy', said)
        self.assertIn('tools/adapters/toy/README.md is missing', said)
        self.assertIn('tools/adapters/README.md has no row of toy', said)
        self.assertIn('tools/prerequisites.sh has no toy in ENGINES with a group PACKAGES_toy of libtoy-dev', said)
        self.assertEqual(len(self.missing()), 4)

    def test_another_package(self):
        self.assertEqual(len(self.missing('libtoy2-dev')), 1)
        self.assertEqual(self.missing(''), [])

    def test_an_adapter_without_a_row(self):
        self.assertEqual(completeness.missing(self.root, {}), [
            'tools/adapters/adapters.bzl has no row of toy; with it --engine=toy starts the adapter'])

    def test_folders_that_are_no_adapters_of_their_name(self):
        self.write('tools/adapters/python/BUILD.bazel', 'py_library(name = "core")\n')
        self.assertEqual(self.missing(), [])


if __name__ == '__main__':
    # WORKSPACE NAME=PACKAGE ...
    if len(sys.argv) > 1:
        ROOT = os.path.dirname(os.path.realpath(sys.argv[1]))
        ROWS = dict(row.split('=') for row in sys.argv[2:])
    unittest.main(argv=sys.argv[:1])
