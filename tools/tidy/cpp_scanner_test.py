"""Tests of cpp_scanner on the shapes of code that the repository holds."""

import unittest

from tools.tidy import cpp_scanner


def _functions(text):
    code = cpp_scanner.blank_directives(cpp_scanner.blank_literals(text))
    return [(f.first_line, f.last_line) for f in cpp_scanner.functions(code)]


class BlankLiteralsTest(unittest.TestCase):

    def test_comments_and_strings_vanish_and_lines_stay(self):
        text = 'int a;  // std::mutex\n/* x\n y */ f("std::mutex \\" {", \'{\');\n'
        code = cpp_scanner.blank_literals(text)
        self.assertNotIn('mutex', code)
        self.assertNotIn('{', code)
        self.assertEqual(code.count('\n'), text.count('\n'))
        self.assertEqual(len(code), len(text))

    def test_raw_strings_vanish(self):
        self.assertNotIn('thread_local', cpp_scanner.blank_literals('f(R"(thread_local " )");'))

    def test_digit_separators_are_no_literals(self):
        self.assertIn('mutex', cpp_scanner.blank_literals("f(1'000, mutex, 2'000);"))

    def test_directives_with_continuations_vanish(self):
        self.assertNotIn('{', cpp_scanner.blank_directives('#define A \\\n  {\nint b;\n'))


class FunctionsTest(unittest.TestCase):

    def test_plain_function(self):
        self.assertEqual(_functions('int F(int a) {\n  return a;\n}\n'), [(1, 3)])

    def test_namespaces_classes_and_enums_are_none(self):
        self.assertEqual(_functions('namespace a::b {\nclass C : public D<int(int)> {\n};\n'
                                    'enum class E { kA };\nstruct S {\n  int x = 0;\n};\n}\n'), [])

    def test_member_functions(self):
        self.assertEqual(_functions('class C {\n  int f() const { return 1; }\n  void g();\n};\n'),
                         [(2, 2)])

    def test_constructor_with_initializers(self):
        self.assertEqual(_functions('C::C(int a)\n    : a_(a), b_(std::move(a)) {\n  Use();\n}\n'),
                         [(2, 4)])

    def test_nested_blocks_and_lambdas_belong_to_the_function(self):
        self.assertEqual(
            _functions('void F() {\n  if (a) {\n    g([&] { return 1; });\n  }\n  int b[] = {1};\n}\n'),
            [(1, 6)])

    def test_table_is_no_function(self):
        self.assertEqual(_functions('constexpr Entry kTable[] = {\n  {F(1), 2},\n};\n'), [])

    def test_template_and_trailing_return(self):
        self.assertEqual(_functions('template <class T>\nauto F(T t) -> std::vector<T> {\n}\n'),
                         [(2, 3)])

    def test_switches_inside_switches_stand_for_themselves(self):
        code = 'switch (a) {\n  case 1:\n    switch (b) {\n      case 2: {}\n    }\n  case 3:\n}\nF();\n'
        inner, outer = cpp_scanner.switches(code)
        self.assertEqual((inner.first_line, outer.first_line), (3, 1))
        self.assertIn('case 2', inner.body)
        self.assertIn('case 3', outer.body)
        self.assertNotIn('case 2', outer.body)


if __name__ == '__main__':
    unittest.main()
