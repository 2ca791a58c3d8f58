"""What counts as a test, an assertion and a golden."""

import unittest

from tools.tidy import counts


class CountsTest(unittest.TestCase):

    def test_counts(self):
        found = counts.count({
            'a_test.cc': 'TEST(A, B) {\n  EXPECT_EQ(1, 1);\n  ASSERT_TRUE(true);\n}\nTEST_P(A, C) { RC_ASSERT(x); }\n',
            'a_test.py': 'class A:\n    def test_b(self):\n        self.assertEqual(1, 1)\n',
            'golden/programs/a/a-0001.twin': 'twingrad 1\nexpect %a kind=value data=1\n',
            'golden/INDEX': 'a-0001 | a | b\n',
            'm.patch': '',
            'BUILD.bazel': 'x\n',
            'README.md': '# TEST(A, B)\n',
        })
        self.assertEqual((found['tests'], found['assertions'], found['goldens']), (3, 4, 1))
        self.assertEqual((found['expectations in goldens'], found['planted defects']), (1, 1))
        self.assertEqual((found['files'], found['lines of code'], found['lines of BUILD files']), (7, 8, 1))


if __name__ == '__main__':
    unittest.main()
