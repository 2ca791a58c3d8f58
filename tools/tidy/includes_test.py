"""What a source names and includes: good and bad pairs."""

import unittest

from tools.tidy import includes


def _missing(text, path='a/foo.cc', **others):
    """The headers that `path` lacks; the others are files of the same folder: `foo_h` is a/foo.h."""
    texts = {f'a/{name[:-2]}.h': header for name, header in others.items()}
    texts[path] = text
    messages = [finding.message for finding in includes.check_includes(path, texts)]
    return [message.split(' is of ')[1].split(',')[0] for message in messages]


class EntityTest(unittest.TestCase):

    def test_each_needs_its_header(self):
        for code, header in [
                ('std::vector<int> v;', 'vector'),
                ('std::string s;', 'string'),
                ('std::string_view s;', 'string_view'),
                ('auto s = std::to_string(1);', 'string'),
                ('std::optional<int> o;', 'optional'),
                ('return std::nullopt;', 'optional'),
                ('std::map<int, int> m;', 'map'),
                ('std::unordered_map<int, int> m;', 'unordered_map'),
                ('std::array<int, 2> a;', 'array'),
                ('std::function<void()> f;', 'functional'),
                ('auto p = std::make_unique<int>();', 'memory'),
                ('F(std::move(x));', 'utility'),
                ('std::pair<int, int> p;', 'utility'),
                ('std::numeric_limits<double>::max();', 'limits'),
                ('std::tuple<int> t;', 'tuple'),
                ('std::chrono::steady_clock::now();', 'chrono'),
                ('std::sort(v.begin(), v.end());', 'algorithm'),
                ('std::accumulate(v.begin(), v.end(), 0);', 'numeric'),
                ('std::isnan(x);', 'cmath'),
                ('std::memcpy(a, b, 8);', 'cstring'),
                ('memcpy(a, b, 8);', 'cstring'),
                ('std::atomic<int> a;', 'atomic'),
                ('std::vector<int64_t> v;  // int64_t', 'vector'),
                ('uint8_t b;', 'cstdint'),
                ('std::uint64_t b;', 'cstdint'),
                ('std::bit_cast<float>(b);', 'bit'),
                ('std::cout << x;', 'iostream'),
                ('FILE* file;', 'cstdio'),
                ('std::fprintf(stderr, x);', 'cstdio'),
                ('if (!getenv(x)) return;', 'cstdlib'),
                ('absl::StatusOr<int> s;', 'absl/status/statusor.h'),
                ('absl::StrCat(1);', 'absl/strings/str_cat.h'),
                ('absl::StartsWith(a, b);', 'absl/strings/match.h'),
                ('absl::Span<const int> s;', 'absl/types/span.h'),
                ('TEST(A, B) {}', 'gtest/gtest.h'),
        ]:
            with self.subTest(code):
                self.assertIn(header, _missing(f'{code}\n'))
                quotes = '""' if '/' in header else '<>'
                self.assertNotIn(header, _missing(f'#include {quotes[0]}{header}{quotes[1]}\n{code}\n'))

    def test_comments_literals_members_and_other_namespaces_need_none(self):
        for code in ['// std::vector', '/* int64_t */', 'F("std::string");', 'file.exit(1);', 'file->abort();',
                     'sync::abort();', 'my::std_vector v;', 'std::vector_like v;', 'printf_like(1);', 'uint8_traits t;',
                     'BACKTEST(1);']:
            with self.subTest(code):
                self.assertEqual(_missing(f'{code}\n'), [])

    def test_one_of_several_headers_is_enough(self):
        self.assertEqual(_missing('#include <map>\nstd::pair<int, int> p;\n'), [])
        self.assertEqual(_missing('#include <cstdlib>\nstd::abs(1);\n'), [])


class FilesTest(unittest.TestCase):

    def test_a_finding_has_the_first_line_that_needs_the_header(self):
        text = 'int x;\nstd::vector<int> v;\nstd::vector<int> w;\n'
        findings = list(includes.check_includes('a/foo.cc', {'a/foo.cc': text}))
        self.assertEqual([(finding.path, finding.line, finding.message) for finding in findings],
                         [('a/foo.cc', 2, '`std::vector` is of vector, which is not included; include it')])

    def test_the_own_header_counts_for_the_source_and_its_test(self):
        for path in ('a/foo.cc', 'a/foo_test.cc'):
            text = '#include "a/foo.h"\nstd::vector<int> v;\n'
            self.assertEqual(_missing(text, path, foo_h='#include <vector>\n'), [])

    def test_other_headers_do_not_count(self):
        self.assertEqual(_missing('#include "a/bar.h"\nstd::vector<int> v;\n', bar_h='#include <vector>\n'),
                         ['vector'])

    def test_unless_they_pass_it_on(self):
        self.assertEqual(_missing('#include "a/bar.h"\nstd::vector<int> v;\n',
                                  bar_h='#include <vector>  // IWYU pragma: export\n'), [])

    def test_other_languages_are_not_read(self):
        self.assertEqual(_missing('std::vector', 'a/foo.py'), [])


if __name__ == '__main__':
    unittest.main()
