"""Runs .clusterfuzzlite/build.sh with the variables of the service, and holds what it built against the service's checks.

    tools/bazel run //fuzz:clusterfuzzlite_test                    # all targets
    tools/bazel run //fuzz:clusterfuzzlite_test -- program_parse   # some

The service refuses a target that does not start, carries too little coverage or the wrong sanitizer, needs a library that
its runner lacks, fails on its seeds, or holds the path where it was built.
"""

import configparser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

COMMON = ('-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION '
          '-fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link')
SERVICE = {'CC': 'clang-19', 'CXX': 'clang++-19', 'CFLAGS': COMMON, 'CXXFLAGS': COMMON,
           'LIB_FUZZING_ENGINE': '-fsanitize=fuzzer', 'SANITIZER': 'address', 'FUZZING_ENGINE': 'libfuzzer'}
# The thresholds of the service's checks.
RUNS, LEAST_EDGES, LEAST_ASAN, MOST_UBSAN = 4, 100, 1000, 200
# What the runner has.
SYSTEM = re.compile(r'^(linux-vdso|libc|libm|libdl|libpthread|librt|libresolv|libutil|ld-linux-x86-64)\.so[.0-9]*$')
SEEDS = '_seed_corpus.zip'
TARGETS = []


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                          errors='replace', timeout=600, **more)


def calls(path):
    """How often the code calls the run time of each sanitizer."""
    code = run('objdump', '-d', '--no-show-raw-insn', path).stdout
    return {name: len(re.findall(rf'call\s+[0-9a-f]+ <__{name}', code)) for name in ('asan', 'msan', 'ubsan')}


def is_target(path):
    """An executable file of ELF for this machine's kind with the entry of a fuzz target."""
    if not os.access(path, os.X_OK) or not os.path.isfile(path):
        return False
    with open(path, 'rb') as file:
        contents = file.read()
    return contents[:4] == b'\x7fELF' and contents[18:20] == b'\x3e\x00' and b'LLVMFuzzerTestOneInput' in contents


def library_faults(path, out):
    faults = []
    for line in run('ldd', path).stdout.splitlines():
        name, _, place = line.strip().partition(' => ')
        if 'not found' in line:
            faults.append(f'needs a missing library: {name}')
        elif place and not SYSTEM.match(name) and not place.startswith(out + '/lib/'):
            faults.append(f'needs {name}, which lies outside: {place}')
    return faults


def instrumentation_faults(path):
    faults = []
    counted = calls(path)
    if counted['asan'] < LEAST_ASAN:
        faults.append(f'is not compiled with AddressSanitizer: {counted["asan"]} calls')
    if counted['ubsan'] > MOST_UBSAN or counted['msan']:
        faults.append(f'is compiled with another sanitizer: {counted}')
    started = run(path, '-seed=1337', f'-runs={RUNS}')
    edges = re.search(r'INFO: Loaded \d+ modules? +\((\d+) inline 8-bit counters', started.stdout)
    if not edges or int(edges.group(1)) < LEAST_EDGES:
        faults.append(f'carries little or no coverage: {edges.group(0) if edges else "none"}')
    if f'Done {RUNS} runs' not in started.stdout:
        faults.append('does not start:\n' + started.stdout[-2000:])
    return faults


def input_faults(path, folder):
    """An empty input, and the seeds with the options and the dictionary."""
    faults = []
    empty = os.path.join(folder, 'empty')
    with open(empty, 'wb'):
        pass
    if run(path, empty).returncode:
        faults.append('does not survive an empty input')
    if not os.path.exists(path + SEEDS):
        return faults + ['has no seeds']
    seeds = os.path.join(folder, 'seeds')
    with zipfile.ZipFile(path + SEEDS) as archive:
        archive.extractall(seeds)
    parser = configparser.ConfigParser()
    parser.read(path + '.options')
    flags = dict(parser['libfuzzer'])
    if 'dict' in flags:
        flags['dict'] = os.path.join(os.path.dirname(path), flags['dict'])
    replay = run(path, *(f'-{name}={value}' for name, value in flags.items()), '-runs=0', '-timeout=25',
                 '-rss_limit_mb=2560', seeds)
    if replay.returncode or 'WARNING: unrecognized flag' in replay.stdout:
        faults.append('fails on its seeds, or knows a flag not:\n' + replay.stdout[-2000:])
    return faults


def faults_of(path):
    out = os.path.dirname(path)
    with tempfile.TemporaryDirectory() as folder:
        return library_faults(path, out) + instrumentation_faults(path) + input_faults(path, folder)


class ClusterFuzzLiteTest(unittest.TestCase):
    def test_what_is_built_passes_the_checks_of_the_service(self):
        top = os.environ.get('BUILD_WORKSPACE_DIRECTORY')
        environment = dict(os.environ, **SERVICE)
        if top:  # under `bazel run`: with the archives that are unpacked there, and no need of a network
            environment.pop('TEST_TMPDIR', None)
        else:  # under `bazel test`, which holds the output folder of its own
            top = os.path.dirname(os.path.dirname(os.path.realpath('.clusterfuzzlite/build.sh')))
            environment['BAZEL_STARTUP'] = f'--output_base={os.environ["TEST_TMPDIR"]}/bazel'
        built = tempfile.mkdtemp()
        environment['OUT'] = built
        subprocess.run([os.path.join(top, '.clusterfuzzlite/build.sh'), *TARGETS], check=True, env=environment)
        # Paths of the build may not matter: the service moves it all.
        out = os.path.join(tempfile.mkdtemp(), 'out')
        shutil.move(built, out)
        targets = [name for name in sorted(os.listdir(out)) if is_target(os.path.join(out, name))]
        self.assertEqual(targets, sorted(TARGETS) or targets)
        self.assertTrue(targets)
        for name in targets:
            with self.subTest(name):
                self.assertRegex(name, '^[A-Za-z0-9_-]+$')
                self.assertEqual(faults_of(os.path.join(out, name)), [])
                print(f'{name}: passes', flush=True)

    def test_a_target_that_is_not_instrumented_does_not_pass(self):
        folder = tempfile.mkdtemp()
        source, path = os.path.join(folder, 'bare.c'), os.path.join(folder, 'bare')
        with open(source, 'w', encoding='utf-8') as file:
            file.write('int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return n && d[0] == 7 ? n / (d[0] - 7) : 0; }')
        subprocess.run([SERVICE['CC'], '-O0', '-fsanitize=fuzzer', source, '-o', path], check=True)
        self.assertTrue(is_target(path))
        said = ' '.join(faults_of(path))
        self.assertIn('is not compiled with AddressSanitizer', said)
        self.assertIn('little or no coverage', said)
        self.assertIn('has no seeds', said)
        self.assertFalse(is_target('/bin/true'))


if __name__ == '__main__':
    TARGETS = [word for word in sys.argv[1:] if not word.startswith('-')]
    unittest.main(argv=sys.argv[:1])
