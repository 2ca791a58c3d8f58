"""Includes: a source that names a common entity includes the header of that entity itself.

The precompiled header (tools/rules/library.h and test.h) is read before every source, so a forgotten include compiles
until the header no longer has it. What a source's own header includes, the source need not include again: `foo.h`
counts for `foo.cc` and `foo_test.cc`. Headers that pass on what they include say so by `// IWYU pragma: export`.
"""

import os
import re
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from tools.tidy import cpp_scanner
from tools.tidy.rules import CPP, Finding

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">](.*)$', re.MULTILINE)
_EXPORT = 'IWYU pragma: export'


class Entity(NamedTuple):
    """What a pattern finds, and the headers of which one must be included; a finding names the first."""
    pattern: 're.Pattern[str]'
    headers: Tuple[str, ...]


def _std(names: str, *headers: str) -> Entity:
    """Names of namespace std."""
    return Entity(re.compile(rf'\bstd::(?:{names.replace(" ", "|")})\b'), headers)


def _calls(names: str, *headers: str) -> Entity:
    """Functions of C, with or without std::, but no members and no names of other namespaces."""
    return Entity(re.compile(rf'(?:\bstd::|(?<![\w.:>]))(?:{names.replace(" ", "|")})\('), headers)


def _absl(names: str, header: str) -> Entity:
    return Entity(re.compile(rf'\babsl::(?:{names.replace(" ", "|")})\b'), (header,))


ENTITIES: List[Entity] = [
    _std('any_of all_of none_of find find_if find_if_not count count_if sort stable_sort partial_sort nth_element '
         'min max minmax clamp min_element max_element minmax_element copy copy_n copy_if fill fill_n transform '
         'generate remove remove_if unique reverse rotate shuffle equal mismatch lexicographical_compare lower_bound '
         'upper_bound equal_range binary_search is_sorted next_permutation set_difference set_intersection set_union '
         'includes for_each replace adjacent_find is_permutation swap_ranges push_heap pop_heap make_heap',
         'algorithm'),
    _std('array to_array', 'array'),
    _std('atomic atomic_flag atomic_thread_fence', 'atomic'),  # Who names an order has an atomic already.
    _std('bit_cast popcount countr_zero countl_zero bit_width bit_ceil has_single_bit', 'bit'),
    _std('bitset', 'bitset'),
    _std('from_chars to_chars', 'charconv'),
    _std('chrono', 'chrono'),
    _std('sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh pow fabs fmod '
         'floor ceil round trunc nearbyint rint isnan isinf isfinite signbit copysign nextafter ldexp frexp hypot fma '
         'erf scalbn lround llround', 'cmath'),
    _std('abs', 'cmath', 'cstdlib'),
    _std('condition_variable condition_variable_any', 'condition_variable'),
    Entity(re.compile(r'\bu?int(?:8|16|32|64|ptr|max)_t\b'), ('cstdint',)),
    Entity(re.compile(r'\bFILE\b'), ('cstdio',)),
    _calls('printf fprintf snprintf vsnprintf fputs fputc puts fopen fclose fread fwrite fflush fgets fileno perror '
           'setvbuf', 'cstdio'),
    _calls('getenv abort exit _Exit quick_exit strtol strtoul strtoull strtod atoi atexit malloc free realloc '
           'aligned_alloc', 'cstdlib'),
    _calls('memcpy memset memcmp memmove strlen strcmp strncmp strchr strstr strerror', 'cstring'),
    _std('deque', 'deque'),
    _std('exception exception_ptr current_exception rethrow_exception make_exception_ptr set_terminate terminate',
         'exception'),
    _std('filesystem', 'filesystem'),
    _std('ifstream ofstream fstream', 'fstream'),
    _std('function greater less plus minus multiplies ref cref reference_wrapper equal_to bind_front invoke',
         'functional'),
    _std('cout cerr clog cin', 'iostream'),
    _std('back_inserter inserter ostream_iterator istreambuf_iterator make_move_iterator', 'iterator'),
    _std('numeric_limits', 'limits'),
    _std('map multimap', 'map'),
    _std('unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this', 'memory'),
    _std('mutex lock_guard unique_lock scoped_lock call_once once_flag', 'mutex'),
    _std('accumulate iota reduce inner_product partial_sum exclusive_scan gcd lcm', 'numeric'),
    _std('optional nullopt make_optional', 'optional'),
    _std('ostream', 'ostream', 'iostream', 'sstream', 'fstream'),
    _std('mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution random_device', 'random'),
    _std('regex regex_search regex_match smatch', 'regex'),
    _std('set multiset', 'set'),
    _std('source_location', 'source_location'),
    _std('ostringstream istringstream stringstream', 'sstream'),
    _std('runtime_error logic_error invalid_argument out_of_range', 'stdexcept'),
    _std('string to_string stoi stoll stoull stod getline', 'string'),
    _std('string_view', 'string_view'),
    _std('thread this_thread jthread', 'thread'),
    _std('tuple make_tuple tie apply', 'tuple'),
    _std('is_same_v is_base_of_v is_integral_v is_floating_point_v is_convertible_v is_trivially_copyable_v is_void_v '
         'decay_t remove_reference_t remove_cvref_t remove_const_t conditional_t enable_if_t invoke_result_t '
         'underlying_type_t make_unsigned_t make_signed_t is_copy_constructible_v is_copy_assignable_v '
         'is_move_constructible_v is_nothrow_move_constructible_v is_invocable_v type_identity_t is_constant_evaluated '
         'is_same is_base_of true_type false_type', 'type_traits'),
    _std('unordered_map unordered_multimap', 'unordered_map'),
    _std('unordered_set unordered_multiset', 'unordered_set'),
    _std('move forward exchange swap as_const index_sequence make_index_sequence index_sequence_for in_place declval '
         'cmp_less to_underlying', 'utility'),
    _std('pair make_pair', 'utility', 'map', 'unordered_map'),  # Maps have pairs.
    _std('variant monostate', 'variant'),
    _std('vector', 'vector'),
    _absl('StatusOr', 'absl/status/statusor.h'),
    _absl('StartsWith EndsWith StrContains EqualsIgnoreCase StartsWithIgnoreCase', 'absl/strings/match.h'),
    _absl('StrCat StrAppend AlphaNum', 'absl/strings/str_cat.h'),
    _absl('InlinedVector', 'absl/container/inlined_vector.h'),
    _absl('Span MakeSpan MakeConstSpan', 'absl/types/span.h'),
    Entity(re.compile(r'\b(?:TEST|TEST_F|TEST_P|TYPED_TEST'
                      r'|(?:EXPECT|ASSERT)_(?:EQ|NE|TRUE|FALSE|LT|LE|GT|GE|THROW|DEATH))\('),
           ('gtest/gtest.h', 'rapidcheck/gtest.h', 'gmock/gmock.h', 'gtest/gtest-spi.h')),
]


def included(text: str) -> Iterator[Tuple[int, str, bool]]:
    """What a source includes: the line, the path, and whether it passes it on."""
    for match in _INCLUDE.finditer(text):
        yield text.count('\n', 0, match.start()) + 1, match.group(1), _EXPORT in match.group(2)


def offered(headers: Iterable[str], texts: Dict[str, Optional[str]]) -> Set[str]:
    """These headers, and those that they pass on."""
    found: Set[str] = set()
    pending = list(headers)
    while pending:
        header = pending.pop()
        if header not in found:
            found.add(header)
            pending += [path for _, path, exported in included(texts.get(header) or '') if exported]
    return found


def _counted(path: str, texts: Dict[str, Optional[str]]) -> Set[str]:
    """What the source includes, itself or by its own header, and what those headers pass on."""
    stem = os.path.splitext(path)[0]
    own = {path, stem + '.h', stem.removesuffix('_test') + '.h'}
    return offered((name for file in own for _, name, _ in included(texts.get(file) or '')), texts)


def check_includes(path: str, texts: Dict[str, Optional[str]]) -> Iterator[Finding]:
    """One finding for each header that the source at `path` lacks, at the first entity that needs it."""
    text = texts[path]
    if not path.endswith(CPP) or not text:
        return
    code = cpp_scanner.blank_literals(text)
    counted = _counted(path, texts)
    for entity in ENTITIES:
        match = None if counted.intersection(entity.headers) else entity.pattern.search(code)
        if match:
            header = entity.headers[0]
            yield Finding(path, code.count('\n', 0, match.start()) + 1,
                          f'`{match.group(0).rstrip("(")}` is of {header}, which is not included; include it')
