"""Sums by folder on a made-up export of llvm-cov, and which test programs are read."""

import os
import tempfile
import unittest

from tools.coverage import folders


def exported(*files):
    def summary(covered, count):
        return {measure: {'covered': covered, 'count': count} for measure in folders.MEASURES}

    return {'data': [{'files': [{'filename': name, 'summary': summary(*counts)} for name, *counts in files]}]}


class FoldersTest(unittest.TestCase):

    def test_files_of_a_folder_are_added_up_and_all_stands_last(self):
        sums = folders.by_folder(
            exported(('/w/b/x.cc', 1, 2), ('/w/a/x.cc', 3, 4), ('./a/y.cc', 2, 6), ('/usr/include/z.h', 9, 9)), '/w')
        self.assertEqual(list(sums), ['a', 'b', 'all'])
        self.assertEqual(sums['a']['lines'], folders.Count(5, 10))
        self.assertEqual(sums['b']['branches'], folders.Count(1, 2))
        self.assertEqual(sums['all']['functions'], folders.Count(6, 12))

    def test_the_table_has_a_row_a_folder_and_no_share_of_nothing(self):
        text = folders.table(folders.by_folder(exported(('/w/a/x.cc', 1, 3), ('/w/empty/x.h', 0, 0)), '/w'))
        self.assertEqual(text.splitlines(), [
            'folder            lines    functions     branches',
            'a            3   33.3 %       33.3 %       33.3 %',
            'empty        0       -            -            - ',
            'all          3   33.3 %       33.3 %       33.3 %',
        ])

    def test_files_that_no_test_runs_are_named(self):
        files = exported(('/w/b/x.cc', 0, 2), ('/w/a/x.cc', 3, 4), ('/w/a/empty.h', 0, 0), ('./a/y.cc', 0, 6), ('/z.h', 0, 9))
        self.assertEqual(folders.never_run(files, '/w'), ['a/y.cc', 'b/x.cc'])

    def test_only_programs_that_were_built_are_read(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, 'a/b'))
            for name, content in (('program', b'\x7fELF...'), ('script', b'#!/bin/sh')):
                with open(os.path.join(root, 'a/b', name), 'wb') as file:
                    file.write(content)
            os.makedirs(os.path.join(root, 'a/b/folder'))
            labels = ['//a/b:program', '//a/b:script', '//a/b:folder', '//a/b:skipped']
            self.assertEqual(folders.test_binaries(labels, root), [os.path.join(root, 'a/b/program')])


if __name__ == '__main__':
    unittest.main()
