"""Commands with and without targets that are there."""

import unittest

from tools.tidy import commands

_TREE = {
    'a/BUILD.bazel': 'ag_package(name = "a")\nag_binary(name = "tool", mutants = {"defect": 1})\n',
    'a/b/BUILD.bazel': '',
    'a/data.txt': '',
    'tools/x.py': '',
}


def _check(text, path='README.md'):
    return [f'{finding.line}: {finding.message}'
            for finding in commands.check_commands(path, {**_TREE, path: text}, [*_TREE, path])]


class CommandsTest(unittest.TestCase):

    def test_targets_that_are_there(self):
        for label in ('//a', '//a:a', '//a:a_test', '//a:tool', '//a:all', '//a/...', '//...', '//a:data.txt', '//a/b:all',
                      '//a:tool.afl', '//a:tool.defect', '//a:tool.defect.afl'):
            self.assertEqual(_check(f'tools/bazel test --config=tsan {label}   # //no:thing\n'), [], label)
        self.assertEqual(_check("x `tools/bazel run //a:tool -- //c`, //no:thing\n"), [])
        self.assertEqual(_check("tools/bazel query 'rdeps(//a/..., //a:tool, 1)'\n"), [])

    def test_targets_that_are_not(self):
        for label in ('//b', '//a:b', '//c/...', '//a:tools', '//a/b', '-//c:x', "'rdeps(//c)", '//a:tool.gone', '//a:gone.defect'):
            self.assertEqual(len(_check(f'\ntools/bazel test {label}\n')), 1, label)
        self.assertEqual(_check('\n$ tools/bazel test //a //a:gone -- x\n'),
                         ['2: //a:gone is no target; correct the command or delete it'])

    def test_scripts(self):
        self.assertEqual(_check('python3 tools/x.py --fix\n'), [])
        self.assertEqual(_check('python3 tools/y.py --fix\n'), ['1: tools/y.py is no file; correct the command or delete it'])

    def test_documents_only(self):
        self.assertEqual(_check('tools/bazel test //b', 'a/x.cc'), [])


if __name__ == '__main__':
    unittest.main()
