"""What a target tests carries coverage: .bazelrc leaves out the checker and what fuzzers are made of, and a parser among
them would be fuzzed blindly."""

import pathlib
import re
import unittest

# What targets are made of says nothing about an input.
_GLUE = ('fuzz/require.h', 'proptests/fuzzing/')
_CONFIGURATIONS = ('asan-libfuzzer', 'afl', 'fuzzing-service')
_TAKES_IT_AWAY = re.compile(r'-fno-sanitize-coverage=(inline-8bit-counters|trace-pc-guard)\b')


def filters(bazelrc: str, configuration: str) -> list:
    """The filters of the files that the configuration compiles without coverage."""
    options = re.findall(rf'^build:{configuration} (.*)$', bazelrc, re.MULTILINE)
    pairs = [option.split('@', 1) for line in options for option in re.findall(r'--per_file_copt=(\S+)', line)]
    return [names.split(',') for names, flags in pairs if _TAKES_IT_AWAY.search(flags)]


def matches(expressions: list, source: pathlib.PurePath) -> bool:
    """As Bazel has it: the label or the path matches an expression, and none that begins with a minus."""
    def takes(name):
        takes_in = any(re.search(e, name) for e in expressions if not e.startswith('-'))
        return takes_in and not any(re.search(e[1:], name) for e in expressions if e.startswith('-'))
    return takes(str(source)) or takes(f'//{source.parent}:{source.name}')


def tested_by(target: pathlib.Path) -> list:
    included = re.findall(r'^#include "((?:autograd|fuzz|proptests)/.*)\.h"$', target.read_text(), re.MULTILINE)
    return [pathlib.PurePath(name + '.cc') for name in included if not (name + '.h').startswith(_GLUE)]


class InstrumentedTest(unittest.TestCase):

    def test_what_targets_include_is_instrumented(self):
        bazelrc = pathlib.Path('.bazelrc').read_text()
        targets = [t for t in pathlib.Path('fuzz').glob('*.cc') if 'LLVMFuzzerTestOneInput' in t.read_text()]
        self.assertGreaterEqual(len(targets), 10)
        for configuration in _CONFIGURATIONS:
            blind = filters(bazelrc, configuration)
            self.assertEqual(len(blind), 1, configuration)
            for target in targets:
                for source in tested_by(target):
                    self.assertFalse(matches(blind[0], source), f'{target} tests {source}, blindly under {configuration}')

    def test_what_the_checker_does_is_not(self):
        blind = filters(pathlib.Path('.bazelrc').read_text(), 'asan-libfuzzer')[0]
        for source in ('proptests/interleave/checker/fiber.cc', 'proptests/fuzzing/splice.cc', 'external/x/y.cc'):
            self.assertTrue(matches(blind, pathlib.PurePath(source)), source)

    def test_reads_labels_and_paths(self):
        source = pathlib.PurePath('a/b/c.cc')
        self.assertTrue(matches(['a/.*', '-a/b/c.*'], source))  # The label is not excluded.
        self.assertFalse(matches(['a/.*', '-a/b.c.*'], source))
        self.assertFalse(matches(['a/d/.*'], source))


if __name__ == '__main__':
    unittest.main()
