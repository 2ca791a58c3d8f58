"""Which lines the tests run: tests under --config=coverage, then a table by folder and pages of HTML.

    tools/bazel run //tools/coverage -- //autograd/...

The tests run with clang's source-based coverage; what fails is reported, and the rest still counts. llvm-profdata
merges the profiles that tests and their child processes left (profile.sh), llvm-cov writes a page for each folder and
file below .bazel/coverage.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from tools.coverage import folders

_BAZEL = ['tools/bazel']
_CONFIGURATION = ['--config=coverage']
# Not our code, or the tests themselves.
_IGNORED = r'(^|/)(external|bazel-out|usr)/|_test\.cc$|/test(ing)?_[a-z_]+\.(h|cc)$'
_PAGES = '.bazel/coverage'


def _output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _tests(targets):
    return _output([*_BAZEL, 'query', '--noshow_progress', f'tests(set({" ".join(targets)}))']).split()


def _profiles(labels, logs, folder):
    """The profiles of these tests; those that Bazel packed are unpacked into `folder`."""
    found = []
    for index, label in enumerate(labels):
        package, _, name = label[2:].partition(':')
        for outputs in glob.glob(os.path.join(logs, package, name, '**', 'test.outputs'), recursive=True):
            packed = os.path.join(outputs, 'outputs.zip')
            if os.path.exists(packed):
                target = os.path.join(folder, str(index), os.path.basename(os.path.dirname(outputs)))
                with zipfile.ZipFile(packed) as archive:
                    archive.extractall(target)
                outputs = target
            found += glob.glob(os.path.join(outputs, 'profiles', '*.profraw'))
    return found


def main(targets):
    os.chdir(os.environ['BUILD_WORKSPACE_DIRECTORY'])
    targets = targets or ['//autograd/...']
    status = subprocess.run([*_BAZEL, 'test', *_CONFIGURATION, '--build_tests_only', '--keep_going', *targets]).returncode
    tests = _tests(targets)
    places = dict(line.split(': ', 1) for line in _output([*_BAZEL, 'info', *_CONFIGURATION]).splitlines() if ': ' in line)
    programs = folders.test_binaries(tests, places['bazel-bin'])
    with tempfile.TemporaryDirectory() as scratch:
        profiles = _profiles(tests, places['bazel-testlogs'], scratch)
        if not profiles or not programs:
            sys.exit(f'[coverage] {len(programs)} test programs left {len(profiles)} profiles; needed is one of each; '
                     'see the tests above')
        listing, merged = os.path.join(scratch, 'profiles'), os.path.join(scratch, 'merged')
        with open(listing, 'w') as file:
            file.write('\n'.join(profiles))
        subprocess.run(['llvm-profdata-19', 'merge', '-sparse', '-failure-mode=all', '-f', listing, '-o', merged], check=True)
        arguments = [f'-instr-profile={merged}', f'-ignore-filename-regex={_IGNORED}', programs[0],
                     *(f'-object={program}' for program in programs[1:])]
        exported = json.loads(_output(['llvm-cov-19', 'export', '-summary-only', *arguments]))
        shutil.rmtree(_PAGES, ignore_errors=True)
        subprocess.run(['llvm-cov-19', 'show', '-format=html', '-show-directory-coverage', '-show-branches=count',
                        f'-output-dir={_PAGES}', *arguments], check=True)
    print(folders.table(folders.by_folder(exported, os.getcwd())))
    for path in folders.never_run(exported, os.getcwd()):
        print(f'never run: {path}')
    print(f'pages: {os.path.abspath(_PAGES)}/index.html')
    sys.exit(status)


if __name__ == '__main__':
    main(sys.argv[1:])
