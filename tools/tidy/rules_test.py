"""Each rule on a snippet that it must accept and one that it must refuse."""

import unittest

from tools.tidy import rules

_PRODUCTION = 'autograd/engine/queue.cc'


def _messages(findings):
    return [finding.message for finding in findings]


class BansTest(unittest.TestCase):

    def _refused(self, text, path=_PRODUCTION):
        return bool(list(rules.check_bans(path, text)) + list(rules.check_functions(path, text)))

    def test_what_only_sync_may_name(self):
        for text in ('#include <atomic>', '#include <mutex>', '#include <condition_variable>', '#include <thread>',
                     '#include <future>', '#include "absl/synchronization/mutex.h"', 'std::atomic<int> a;',
                     'std::lock_guard<M> l(m);', 'std::condition_variable_any c;', 'std::thread t;',
                     'std::shared_ptr<int> p;', 'auto p = std::make_shared<int>(1);', 'std::call_once(f, g);',
                     'absl::call_once(f, g);', 'thread_local int a;', 'absl::Mutex m;', 'absl::MutexLock l(&m);',
                     '__atomic_load_n(&a, 0);', '__sync_fetch_and_add(&a, 1);', 'std::async(f);'):
            with self.subTest(text):
                self.assertTrue(self._refused(text))
                self.assertFalse(self._refused(text, 'autograd/sync/standard/mutex.h'))
                self.assertFalse(self._refused(text, 'autograd/engine/queue_test.cc'))
                self.assertFalse(self._refused(text, 'proptests/workers/worker.cc'))

    def test_production_code_knows_nothing_of_the_checker(self):
        for text in ('if constexpr (sync::kIsModel) F();', '#if defined(AUTOGRAD_SYNC_MODEL)',
                     'sync::model::Current();', '#include "autograd/sync/model/scheduler.h"',
                     'friend class sync::Inspector<T>;', 'return cell_.Peek();', 'return cell->Peek();',
                     '#include "proptests/interleave/checker/explore.h"', '#include "fuzz/a.h"', '#include "tools/a.h"'):
            with self.subTest(text):
                self.assertTrue(self._refused(text))
                self.assertFalse(self._refused(text, 'autograd/sync/inspected.h'))
                self.assertFalse(self._refused(text, 'proptests/interleave/engine/engine_rules.cc'))
        for text in ('AG_INSPECTED(ReadyQueue);', '#include "autograd/sync/inspected.h"', 'PeekAt(a);'):
            with self.subTest(text):
                self.assertFalse(self._refused(text))

    def test_comments_strings_and_lookalikes_pass(self):
        for text in ('// std::mutex', 'Say("std::mutex");', 'sync::Mutex mutex;', 'int my_thread_local_thing;',
                     'std::unique_ptr<int> p;', '#include <memory>', 'is_thread_local_(a);'):
            with self.subTest(text):
                self.assertFalse(self._refused(text))

    def test_local_statics(self):
        for text in ('void F() {\n  static int a = G();\n}', 'int F() {\n  static const std::string s("a");\n}',
                     'int F() {\n  auto g = [] {\n    static int n;\n    return n++;\n  };\n}'):
            with self.subTest(text):
                self.assertTrue(self._refused(text))
                self.assertFalse(self._refused(text, 'proptests/shrink/shrink.cc'))
        for text in ('void F() {\n  static constexpr int a = 1;\n}', 'class C {\n  static int Make(int a);\n};',
                     'static int F() {\n  return static_cast<int>(1);\n}', 'void F() {\n  static_assert(true);\n}',
                     'void F() {\n  constexpr static int a = 1;\n}'):
            with self.subTest(text):
                self.assertFalse(self._refused(text))

    def test_bans_everywhere(self):
        for text in ('GTEST_SKIP();', 'TEST(A, DISABLED_B) {}', 'using namespace std;', 'int a = rand();',
                     'std::random_device d;', 'class QueueManager {};', 'struct Util {', 'namespace autograd {',
                     'autograd::Tensor x;'):
            with self.subTest(text):
                self.assertTrue(self._refused(text, 'proptests/a_test.cc'))
        self.assertFalse(self._refused('GTEST_SKIP() << "no GPU";', 'cuda/a_test.cc'))
        for text in ('int a = operand(1);', 'torch::autograd::Node node;', 'class Helpless {};', 'namespace twingrad {'):
            self.assertFalse(self._refused(text, 'cuda/a_test.cc'))
        self.assertTrue(self._refused('Fill<<<1, 2>>>(x);', 'cuda/fill.cu'))
        self.assertFalse(self._refused('Run<<<1, 2>>>(x);', 'cuda/launch.h'))


class TextTest(unittest.TestCase):

    def test_clean_file(self):
        self.assertEqual(list(rules.check_text('a.cc', '// A.\nint a;\n')), [])

    def test_whitespace(self):
        self.assertEqual(_messages(rules.check_text('a.cc', 'int a; \n')),
                         ['blanks at the end of the line; delete them'])
        self.assertEqual(_messages(rules.check_text('a.cc', '\tint a;\n')), ['a tab; indent with blanks'])
        self.assertEqual(len(list(rules.check_text('a.md', 'a\r\n'))), 1)
        self.assertEqual(len(list(rules.check_text('a.py', 'a = 1'))), 1)

    def test_unfinished_work(self):
        self.assertEqual(len(list(rules.check_text('a.cc', '// TO' 'DO: all\n'))), 1)
        self.assertEqual(list(rules.check_text('a.cc', '// A todo list.\n')), [])

    def test_length(self):
        for path, limit in (('a.cc', 500), ('a_test.cc', 700), ('a.py', 500)):
            self.assertEqual(list(rules.check_text(path, 'x\n' * limit)), [])
            self.assertEqual(len(list(rules.check_text(path, 'x\n' * (limit + 1)))), 1)
        self.assertEqual(list(rules.check_text('corpus.txt', 'x\n' * 900)), [])

    def test_function_length(self):
        body = 'void F() {\n' + '  G();\n' * 68 + '}\n'
        self.assertEqual(list(rules.check_functions('a.cc', body)), [])
        longer = body.replace('{\n', '{\n  G();\n')
        self.assertEqual(_messages(rules.check_functions('a.cc', longer)),
                         ['a function of 71 lines; at most 70 are allowed; split it'])

    def test_opening_comment(self):
        for path, text, good in (
                ('a.h', '// What it is.\n#ifndef A\n', True),
                ('a.h', '#ifndef A\n', False),
                ('a.cc', '#include "a.h"\n', True),
                ('a_test.cc', '#include "a.h"\n', True),
                ('b.cc', '#include "a.h"\n', False),
                ('b_test.cc', '// What it tests.\n', True),
                ('a.py', '#!/usr/bin/env python3\n"""What."""\n', True),
                ('a.bzl', 'def a():\n', False),
                ('BUILD.bazel', 'load("a")\n', True),
        ):
            with self.subTest(path=path, text=text):
                self.assertEqual(not list(rules.check_opening_comment(path, text, {'a.h': False})), good)

    def test_header_guard(self):
        self.assertEqual(list(rules.check_header_guard('a.h', '// What it is.\n\n#pragma once\n')), [])
        self.assertEqual(list(rules.check_header_guard('a.h', '// Precompiled.\n\n#include <vector>\n')), [])
        for text in ('int a;\n', '#ifndef A_H_\n#define A_H_\n', '#pragma once\n#pragma once\n',
                     '#pragma once\n#ifndef A_H_\n'):
            with self.subTest(text=text):
                self.assertEqual(len(list(rules.check_header_guard('a.h', text))), 1)


class SwitchesTest(unittest.TestCase):

    _DEFAULT = 'void F() {\n  switch (op) {\n    case Opcode::kAdd:\n      return;\n    default:\n      return;\n  }\n}\n'

    def _refused(self, text, path='autograd/reference/formulas.cc'):
        return bool(list(rules.check_switches(path, text)))

    def test_a_default_among_ops(self):
        self.assertTrue(self._refused(self._DEFAULT))
        self.assertTrue(self._refused(self._DEFAULT.replace('Opcode', 'program::Opcode')))
        self.assertTrue(self._refused(self._DEFAULT.replace('Opcode', 'Primitive'), 'proptests/generators/a.h'))
        self.assertFalse(self._refused(self._DEFAULT, 'autograd/ops/formulas.cc'))

    def test_other_enums_and_no_default(self):
        self.assertFalse(self._refused(self._DEFAULT.replace('Opcode', 'DType')))
        self.assertFalse(self._refused(self._DEFAULT.replace('default', 'case Opcode::kMul')))
        self.assertFalse(self._refused(self._DEFAULT.replace('    default:\n', '    // default: none\n')))

    def test_switches_inside_switches_stand_for_themselves(self):
        inner = 'switch (a) { case DType::kF64: break; default: break; }'
        self.assertFalse(self._refused('void F() { switch (b) { case Opcode::kAdd: ' + inner + ' } }'))
        inner = 'switch (a) { case Opcode::kAdd: break; default: break; }'
        self.assertTrue(self._refused('void F() { switch (b) { case DType::kF64: ' + inner + ' } }'))


class TopTest(unittest.TestCase):

    _HOUSE = {name: True for name in ('autograd', 'cuda', 'fuzz', 'golden', 'proptests', 'tools', 'BUILD.bazel',
                                      'LICENSE', 'README.md', 'WORKSPACE')}

    def test_exactly_the_house(self):
        self.assertEqual(list(rules.check_top({**self._HOUSE, '.ci': True, 'tools/new': True})), [])
        self.assertEqual(len(list(rules.check_top({**self._HOUSE, 'docs': True}))), 1)
        self.assertEqual(len(list(rules.check_top({'autograd': True}))), 9)

    def test_what_a_run_leaves_is_named_in_gitignore(self):
        self.assertEqual(rules.ignored_at_top('/.bazel/\n__pycache__/\n/findings\n'), {'.bazel', 'findings'})


class LinksTest(unittest.TestCase):

    _PATHS = {'tools': True, 'tools/README.md': False, 'README.md': False}

    def test_good_links(self):
        text = '[a](tools/README.md) [b](tools) [c](https://example.org) [d](#part) [e](README.md#part)\n'
        self.assertEqual(list(rules.check_links('README.md', text, self._PATHS)), [])
        self.assertEqual(list(rules.check_links('tools/README.md', '[up](../README.md) [top](..)\n', self._PATHS)), [])

    def test_bad_link_and_code_block(self):
        self.assertEqual(len(list(rules.check_links('README.md', 'x\n[a](gone.md)\n', self._PATHS))), 1)
        self.assertEqual(list(rules.check_links('README.md', '```\n[a](gone.md)\n```\n', self._PATHS)), [])


class TreeTest(unittest.TestCase):

    def _tests(self, names, allowances='', texts=None):
        paths = {name: False for name in names}
        return list(rules.check_tests(paths, texts or {}, rules.parse_allowances(allowances), 'allowances.txt'))

    def test_test_beside_each_source(self):
        self.assertEqual(self._tests(['a/b.cc', 'a/b_test.cc', 'a/c.h']), [])
        self.assertEqual(len(self._tests(['a/b.cc'])), 1)
        self.assertEqual(len(self._tests(['a/b.cu', 'a/c_test.cc'])), 1)

    def test_a_fuzz_target_is_tested_by_its_corpus(self):
        target = 'extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {\n}\n'
        self.assertEqual(self._tests(['a/b.cc'], texts={'a/b.cc': target}), [])
        declaration = 'extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);\n'
        self.assertEqual(len(self._tests(['a/b.cc'], texts={'a/b.cc': declaration})), 1)

    def test_allowances_must_be_true(self):
        line = 'a/b.cc | a/c_test.cc | both halves are one contract\n'
        self.assertEqual(self._tests(['a/b.cc', 'a/c_test.cc'], line), [])
        self.assertEqual(len(self._tests(['a/c_test.cc'], line)), 1)
        self.assertEqual(len(self._tests(['a/b.cc'], line)), 1)
        self.assertEqual(len(self._tests(['a/b.cc', 'a/b_test.cc', 'a/c_test.cc'], line)), 1)
        with self.assertRaises(ValueError):
            rules.parse_allowances('a/b.cc | a/c_test.cc\n')

    def test_readmes(self):
        paths = {'a': True, 'a/b.cc': False, 'a/data': True, 'a/data/x.txt': False, 'a/README.md': False,
                 'README.md': False, 'BUILD.bazel': False}
        texts = {'a/README.md': '# A\n\nOne sentence.\n', 'README.md': '# Top\n\nOne sentence.\n'}
        self.assertEqual(list(rules.check_readmes(paths, texts)), [])
        self.assertEqual(len(list(rules.check_readmes(paths, {**texts, 'a/README.md': 'A\n'}))), 1)
        del paths['a/README.md']
        self.assertEqual(len(list(rules.check_readmes(paths, texts))), 1)


if __name__ == '__main__':
    unittest.main()
