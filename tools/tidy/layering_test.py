"""Headers and the targets that offer them: who may include what."""

import unittest

from tools.tidy import layering

_LOAD = 'load("//tools/rules:defs.bzl", "ag_library", "ag_package")\n'
_LOW = _LOAD + 'ag_package(name = "low")\n'
_LOW_FILES = {'autograd/low/BUILD.bazel': _LOW, 'autograd/low/low.h': ''}


def _check(build, **sources):
    """The findings for package autograd/top above autograd/low; `x_h` and `x_cc` are its files."""
    texts = {**_LOW_FILES, 'autograd/top/BUILD.bazel': _LOAD + build}
    for name, text in sources.items():
        stem, suffix = name.rsplit('_', 1)
        texts[f'autograd/top/{stem}.{suffix}'] = text
    return [f'{finding.path}:{finding.line}: {finding.message}' for finding in layering.check_layering(texts)]


class LabelTest(unittest.TestCase):

    def test_short_and_full_labels_are_the_same(self):
        for label, full in [(':x', '//a/b:x'), ('x.cc', '//a/b:x.cc'), ('//c/d', '//c/d:d'), ('//c:x', '//c:x'),
                            ('//c:x.model', '//c:x'), ('@highway', '@highway//:highway'),
                            ('@absl//absl/status', '@absl//absl/status:status'), ('@a//b:c', '@a//b:c')]:
            self.assertEqual(layering.full_label(label, 'a/b'), full)

    def test_headers_of_third_parties_belong_to_targets(self):
        absl = '@com_google_absl//absl/'
        for header, label in [('absl/strings/str_cat.h', absl + 'strings:strings'),
                              ('absl/strings/str_format.h', absl + 'strings:str_format'),
                              ('absl/status/status.h', absl + 'status:status'),
                              ('absl/status/statusor.h', absl + 'status:statusor'),
                              ('absl/types/span.h', absl + 'types:span'),
                              ('absl/time/clock.h', absl + 'time:time'),
                              ('gtest/gtest-spi.h', '@com_google_googletest//:gtest_main'),
                              ('rapidcheck.h', '@rapidcheck//:rapidcheck'),
                              ('rapidcheck/gtest.h', '@rapidcheck//:rapidcheck_gtest')]:
            self.assertIn(label, layering.third_party_labels(header))
        self.assertEqual(layering.third_party_labels('vector'), ())
        self.assertEqual(layering.third_party_labels('sys/wait.h'), ())


class TargetsTest(unittest.TestCase):

    def _targets(self, build, *files):
        texts = {**dict.fromkeys((f'a/{file}' for file in files), ''), 'a/BUILD.bazel': build}
        return layering.read_targets(texts)

    def test_a_package_is_a_library_and_a_test_that_has_its_dependencies_too(self):
        targets = self._targets('ag_package(name = "x", apart = ["o.cc"], deps = ["//b"], test_srcs = ["s.h"],\n'
                                '           test_deps = [":y"])', 'x.h', 'x.cc', 'o.cc', 'x_test.cc', 's.h')
        self.assertEqual(targets['//a:x'].sources, {'a/x.h', 'a/x.cc'})
        self.assertEqual(targets['//a:x'].headers, {'a/x.h'})
        self.assertEqual(targets['//a:x'].deps, {'//b:b'})
        self.assertEqual(targets['//a:x_test'].sources, {'a/x_test.cc', 'a/s.h', 'a/x.h'})
        self.assertEqual(targets['//a:x_test'].deps,
                         {'//a:x', '//a:y', '//b:b', '@com_google_googletest//:gtest_main'})

    def test_a_package_keeps_headers_to_itself_and_its_tests(self):
        targets = self._targets('ag_package(name = "x", hdrs = ["x.h"])', 'x.h', 'own.h', 'x_test.cc')
        self.assertEqual(targets['//a:x'].headers, {'a/x.h'})
        self.assertIn('a/own.h', targets['//a:x'].sources)
        self.assertIn('a/own.h', targets['//a:x_test'].sources)

    def test_a_package_without_a_test_has_none(self):
        self.assertEqual(set(self._targets('ag_package(name = "x")', 'x.h')), {'//a:x'})

    def test_constants_comprehensions_globs_selects_and_aliases_are_evaluated(self):
        targets = self._targets(
            'load("//tools:x.bzl", "MORE", "more_data")\n'
            '_NAMES = ["p", "q"]\n'
            'alias(name = "other", actual = "//b:c")\n'
            'ag_library(name = "all", srcs = glob(["**/*.cc"], exclude = ["*_test.cc"]),\n'
            '           hdrs = [n + ".h" for n in _NAMES], data = more_data() + MORE,\n'
            '           deps = [":other"] + select({"//d:is_x": ["//e"], "//conditions:default": ["//f"]}))\n'
            '[ag_test(name = n, srcs = [n + ".cc"], deps = deps) for n, deps in {"t_test": ["//g"]}.items()]\n',
            'one.cc', 'sub/two.cc', 't_test.cc')
        self.assertEqual(targets['//a:all'].sources, {'a/one.cc', 'a/sub/two.cc'})
        self.assertEqual(targets['//a:all'].headers, {'a/p.h', 'a/q.h'})
        self.assertEqual(targets['//a:all'].deps, {'//b:c', '//e:e', '//f:f'})
        self.assertEqual(targets['//a:t_test'].deps, {'//g:g'})

    def test_further_rules(self):
        targets = self._targets(
            'interleaving_test(name = "i", srcs = ["i.cc"], deps = [":x"])\n'
            'cuda_library(name = "c", srcs = ["c.cu"], hdrs = ["c.h"])\n'
            'cuda_test(name = "c_test", srcs = ["c_test.cc"], deps = [":c"])\n'
            'sanitizer_mutants({"race": dict(sources = ["//b:s.cc"], deps = ["//b"])})\n'
            'ag_library(name = "two", srcs = ["standard.cc"], model_srcs = ["model.cc"])\n')
        self.assertEqual(targets['//a:i'].deps, {'//a:x', '@com_google_googletest//:gtest_main'})
        self.assertEqual(targets['//a:c'].deps, {'//cuda/fake:fake', '@local_cuda//:runtime'})
        self.assertEqual(targets['//a:c_test'].deps, {
            '//a:c', '//cuda/fake:fake', '@local_cuda//:runtime', '@com_google_googletest//:gtest_main'})
        self.assertEqual(targets['//a:race_program'].sources, {'a/race.cc'})
        self.assertEqual(targets['//a:race_program'].deps, {'//b:b', '//proptests/mutants:mutants'})
        self.assertEqual(targets['//a:two'].sources, {'a/standard.cc', 'a/model.cc'})


class LayeringTest(unittest.TestCase):

    def test_headers_of_the_target_and_its_direct_dependencies_are_fine(self):
        self.assertEqual(_check('ag_package(name = "x", deps = ["//autograd/low", "@com_google_absl//absl/strings"])',
                                x_h='#include <vector>\n#include "autograd/low/low.h"\n',
                                x_cc='#include "autograd/top/x.h"\n#include "absl/strings/str_cat.h"\n',
                                x_test_cc='#include "autograd/low/low.h"\n#include <gtest/gtest.h>\n'), [])

    def test_a_dependency_of_a_dependency_is_none(self):
        self.assertEqual(_check('ag_library(name = "y", hdrs = ["y.h"], deps = ["//autograd/low"])\n'
                                'ag_library(name = "x", srcs = ["x.cc"], deps = [":y"])\n',
                                y_h='#include "autograd/low/low.h"\n',
                                x_cc='#include "autograd/top/y.h"\n#include "autograd/low/low.h"\n'),
                         ['autograd/top/x.cc:2: includes autograd/low/low.h of //autograd/low, which is no direct '
                          'dependency of //autograd/top:x; add it'])

    def test_unless_its_header_passes_it_on(self):
        self.assertEqual(_check('ag_library(name = "y", hdrs = ["y.h"], deps = ["//autograd/low"])\n'
                                'ag_library(name = "x", srcs = ["x.cc"], deps = [":y"])\n',
                                y_h='#include "autograd/low/low.h"  // IWYU pragma: export\n',
                                x_cc='#include "autograd/low/low.h"\n'), [])

    def test_a_header_among_the_sources_is_not_offered(self):
        self.assertEqual(_check('ag_library(name = "y", srcs = ["y.h"])\n'
                                'ag_library(name = "x", srcs = ["x.cc"], deps = [":y"])\n',
                                y_h='', x_cc='#include "autograd/top/y.h"\n'),
                         ['autograd/top/x.cc:1: //autograd/top:x includes autograd/top/y.h, which is among the hdrs of '
                          'no target; add it there'])

    def test_third_parties_count_too(self):
        self.assertEqual(_check('ag_library(name = "x", srcs = ["x.cc"], deps = ["@com_google_absl//absl/strings"])',
                                x_cc='#include "absl/strings/str_format.h"\n'),
                         ['autograd/top/x.cc:1: includes absl/strings/str_format.h of '
                          '@com_google_absl//absl/strings:str_format, which is no direct dependency of '
                          '//autograd/top:x; add it'])

    def test_what_a_rule_generates_is_fine(self):
        self.assertEqual(_check('ag_library(name = "x", srcs = ["x.cc", ":table"])',
                                x_cc='#include "autograd/top/table.inc"\n'), [])


if __name__ == '__main__':
    unittest.main()
