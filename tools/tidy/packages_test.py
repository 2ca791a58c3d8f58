"""Labels of BUILD files, and the cycles of packages that they close."""

import unittest

from tools.tidy import packages


def _labels(text, package='a'):
    return [dependency.label for dependency in packages.dependencies(package, text)]


def _build(*labels):
    return f'ag_library(name = "x", deps = [{", ".join(repr(label) for label in labels)}])\n'


def _messages(builds, allowed=frozenset()):
    return [f'{finding.path}:{finding.line}: {finding.message.split(";")[0]}'
            for finding in packages.check_packages(builds, allowed)]


class DependenciesTest(unittest.TestCase):

    def test_labels_of_every_attribute_count(self):
        text = ('_COMMON = ["//e"]\n'
                'ag_package(\n    name = "x",\n    srcs = ["//b:s.cc"],\n    data = ["//c"],\n'
                '    test_deps = [":y", "//a:z", "@absl//strings"] + ["//d:%s" % n for n in "ab"],\n)\n')
        self.assertEqual(sorted(_labels(text)), ['//b:s.cc', '//c', '//d:%s', '//e'])

    def test_loads_visibility_and_conditions_do_not(self):
        text = ('load("//tools/rules:defs.bzl", "ag_package")\n'
                '_USERS = ["//b:__subpackages__", "//c:__pkg__"]\n'
                'package(default_visibility = _USERS)\n'
                'ag_package(name = "x", visibility = ["//c:__pkg__"],\n'
                '        deps = select({"//d:is_model": ["//e"], "//conditions:default": []}))\n')
        self.assertEqual(_labels(text), ['//e'])


class CyclesTest(unittest.TestCase):

    def test_a_chain_and_a_diamond_are_fine(self):
        self.assertEqual(_messages({'a/BUILD.bazel': _build('//b', '//c'), 'b/BUILD.bazel': _build('//d'),
                                    'c/BUILD.bazel': _build('//d:y'), 'd/BUILD.bazel': _build('//:top'),
                                    'BUILD.bazel': ''}), [])

    def test_a_cycle_is_one_finding_at_the_edge_of_fewest_labels(self):
        builds = {'a/BUILD.bazel': _build('//b', '//b:y'), 'b/BUILD.bazel': _build('//c', '//c:y'),
                  'c/BUILD.bazel': '\n' + _build('//a:w')}
        self.assertEqual(len(_messages(builds)), 1)
        self.assertIn('c/BUILD.bazel:2: //a:w closes a cycle of packages', _messages(builds)[0])

    def test_each_of_several_cycles_is_found(self):
        builds = {'a/BUILD.bazel': _build('//b', '//c'), 'b/BUILD.bazel': _build('//a'),
                  'c/BUILD.bazel': _build('//a')}
        self.assertEqual(len(_messages(builds)), 2)

    def test_a_package_that_names_itself_is_none(self):
        self.assertEqual(_messages({'a/BUILD.bazel': _build(':y', '//a:z')}), [])

    def test_allowed_cycles_must_exist(self):
        builds = {'a/BUILD.bazel': _build('//b'), 'b/BUILD.bazel': _build('//a')}
        self.assertEqual(_messages(builds, {('b', 'a')}), [])
        self.assertEqual(len(_messages(builds, {('b', 'a'), ('a', 'c')})), 1)
        builds['b/BUILD.bazel'] = ''
        self.assertEqual(_messages(builds, {('a', 'b')}),
                         ['a/BUILD.bazel:1: //a -> //b is allowed to close a cycle and closes none'])

    def test_allowances_have_reasons(self):
        self.assertEqual(packages.parse_allowed('# why\n\nb | a | the test of x\n'), {('b', 'a')})
        with self.assertRaises(ValueError):
            packages.parse_allowed('b | a\n')


if __name__ == '__main__':
    unittest.main()
