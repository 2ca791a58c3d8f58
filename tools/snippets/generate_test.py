"""Lines with each kind of comment, and what becomes of a README."""

import unittest

from tools.snippets import generate


class CheckedTest(unittest.TestCase):

    def test_what_is_printed(self):
        self.assertEqual(generate.checked('std::cout << y;   // 6, 8: twice'),
                         '{ twingrad_snippets::Capture capture; std::cout << y; capture.Holds("6, 8"); }')

    def test_what_holds(self):
        self.assertEqual(generate.checked('a.Bump();   // a.version() == 1; so it is'),
                         'a.Bump(); EXPECT_TRUE(a.version() == 1);')

    def test_values(self):
        self.assertEqual(generate.checked('Tensor h = H(x);  // [[6, 0]]'),
                         'Tensor h = H(x); twingrad_snippets::Holds(h, "[[6, 0]]");')
        self.assertEqual(generate.checked('Name(k);     // "freed", as it is spelt'), 'EXPECT_EQ(Name(k), "freed");')
        self.assertEqual(generate.checked('std::string s = Name(k);  // "a\\"b: c": it'),
                         'std::string s = Name(k); EXPECT_EQ(s, "a\\"b: c");')

    def test_errors(self):
        self.assertEqual(generate.checked('throw Error(kShape, "a; b");  // at once'),
                         'EXPECT_THROW(throw Error(kShape, "a; b"), twingrad::Error);')

    def test_prose_and_plain_code(self):
        self.assertEqual(generate.checked('Tensor y = x;   // shares memory'), 'Tensor y = x;')
        self.assertEqual(generate.checked('f("http://x");'), 'f("http://x");')
        self.assertEqual(generate.checked('// alone == it is prose'), '// alone == it is prose')
        self.assertEqual(generate.checked('sim.Take();  // [device] read'), 'sim.Take();')


class ProgramTest(unittest.TestCase):

    def test_a_readme_is_a_test(self):
        program = generate.program({'a/b/README.md': '# b\n\n```cpp\n#include "x.h"  // why\nint i = 0;\n```\n'},
                                   '// c\n#include <deque>\n\n//! a/b/README.md\nint j;\n//! inside\nint k;\n')
        self.assertIn('#include "x.h"\n#include <deque>\n', program)
        order = ['namespace snippet_AB4 {', 'int j;', 'TEST_F(Readme, AB4) {', 'int k;', '#line 4 "a/b/README.md"\n\nint i = 0;']
        self.assertEqual([piece for piece in order if piece in program], order)
        self.assertEqual(sorted(order, key=program.index), order)

    def test_an_excerpt_is_none(self):
        self.assertNotIn('TEST', generate.program({'a/README.md': '```cpp\n// a/x.h: why\nint i;\n```\n'}, ''))

    def test_a_context_of_nothing(self):
        with self.assertRaisesRegex(generate.SnippetError, 'b/README.md has a context'):
            generate.program({'a/README.md': ''}, '//! b/README.md\n')


if __name__ == '__main__':
    unittest.main()
