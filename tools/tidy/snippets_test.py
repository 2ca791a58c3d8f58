"""Snippets that are tested, not tested, and excerpts that are true or not."""

import unittest

from tools.tidy import snippets

_BUILD = {'tools/snippets/BUILD.bazel': 'readmes = ["//a:README.md"]', 'a/x.h': '  int x;  // why\n'}


def _check(path, text):
    return [f'{finding.path}:{finding.line}: {finding.message}'
            for finding in snippets.check_snippets({**_BUILD, path: f'# t\n\n```cpp\n{text}```\n'})]


class SnippetsTest(unittest.TestCase):

    def test_each_is_tested(self):
        self.assertEqual(_check('a/README.md', 'int x;\n'), [])
        self.assertEqual(_check('b/README.md', 'int x;\n'),
                         ['b/README.md:4: this snippet is not tested; name the file in tools/snippets/BUILD.bazel'])

    def test_or_is_an_excerpt(self):
        self.assertEqual(_check('b/README.md', '// a/x.h: what x is\nint x;   // a number\n'), [])
        self.assertEqual(_check('b/README.md', '// a/x.h\nint x;\nint y;\n'),
                         ['b/README.md:6: this line is not in a/x.h, which the snippet names; take it from there'])

    def test_what_a_reader_would_add(self):
        self.assertEqual(_check('.github/CONTRIBUTING.md', 'int x;\n'), [])


if __name__ == '__main__':
    unittest.main()
