"""Method: the library is installed for real, and a user's project is built over the installation, with CMake and with
pkg-config, beside the distribution's Abseil. Then each way in which installing can fail: its message and that nothing
has changed.
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from tools.install import headers, install

_EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'example')
_EXPECTED = 'gradient: 6, 8\nerror: freed\nstep: 2.5\n'
_STRICT = ['-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror']
_FILES = {owned if '.' in os.path.basename(owned) else owned + '/x': b'new' for owned in install.OWNED}
_ERROR = 'lib/cmake/twingrad/twingradConfig.cmake'


def _run(*command: str, **variables: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **variables})
    assert done.returncode == 0, f'{command}: {done.returncode}\n{done.stdout}'
    return done.stdout


def _main(*arguments: str, folder: str = '/'):
    """Exit status and what is printed."""
    output = io.StringIO()
    with mock.patch.dict(os.environ, BUILD_WORKING_DIRECTORY=folder), contextlib.redirect_stdout(output), \
            contextlib.redirect_stderr(output):
        status = install.main([f'--library={LIBRARY}', *arguments])
    return status, output.getvalue()


def _tree(folder: str):
    found = {}
    for path, _, files in os.walk(folder):
        for file in files:
            with open(os.path.join(path, file), 'rb') as content:
                found[os.path.relpath(os.path.join(path, file), folder)] = content.read()
    return found


class InstalledTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        status, cls.printed = _main('--prefix=first', folder=folder.name)
        assert status == 0, cls.printed
        # An installation may be moved.
        cls.prefix = os.path.join(folder.name, 'moved')
        os.rename(os.path.join(folder.name, 'first'), cls.prefix)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def test_a_project_with_cmake(self) -> None:
        build = self.path('build')
        _run('cmake', '-S', _EXAMPLE, '-B', build, f'-DCMAKE_PREFIX_PATH={self.prefix}', CXX='g++-12')
        _run('cmake', '--build', build)
        self.assertEqual(_run(build + '/gradient'), _EXPECTED)
        symbols = _run('nm', '-C', '--extern-only', '--defined-only', build + '/gradient').splitlines()
        for namespace in (' absl::debian', ' absl_twingrad::'):  # Both are there.
            self.assertTrue(any(namespace in symbol for symbol in symbols), namespace)
        self.assertEqual([symbol for symbol in symbols if ' absl::lts' in symbol], [])
        for version, found in [('0.1', True), ('0', True), ('0.1.0', True), ('0.2', False), ('1.0', False), ('0.0', False)]:
            script = self.path('find.cmake')
            with open(script, 'w', encoding='utf-8') as file:
                file.write(f'set(PACKAGE_FIND_VERSION {version})\nset(PACKAGE_FIND_VERSION_COUNT {version.count(".") + 1})\n'
                           f'string(REPLACE "." ";" parts {version}.0)\nlist(GET parts 0 PACKAGE_FIND_VERSION_MAJOR)\n'
                           f'list(GET parts 1 PACKAGE_FIND_VERSION_MINOR)\n'
                           f'include({self.prefix}/lib/cmake/twingrad/twingradConfigVersion.cmake)\n'
                           'message(STATUS "${PACKAGE_VERSION} ${PACKAGE_VERSION_COMPATIBLE}")\n')
            self.assertEqual(_run('cmake', '-P', script), f'-- {install.VERSION} {str(found).upper()}\n', version)

    def test_a_project_with_pkg_config(self) -> None:
        flags = _run('pkg-config', '--cflags', '--libs', 'twingrad', 'absl_flat_hash_map', 'absl_strings',
                     PKG_CONFIG_PATH=self.prefix + '/lib/pkgconfig').split()
        program = self.path('gradient')
        _run('g++-12', *_STRICT, '-o', program, _EXAMPLE + '/main.cc', *flags)
        self.assertEqual(_run(program), _EXPECTED)
        version = _run('pkg-config', '--modversion', 'twingrad', PKG_CONFIG_PATH=self.prefix + '/lib/pkgconfig')
        self.assertEqual(version.strip(), install.VERSION)

    def test_all_headers_are_there_and_compile(self) -> None:
        installed = [path for path in _tree(self.prefix + '/include/twingrad') if path.endswith('.h')]
        self.assertGreaterEqual(set(installed), set(headers.ROOTS))
        self.assertEqual([path for path in installed if '/model/' in path], [])
        source = self.path('headers.cc')
        with open(source, 'w', encoding='utf-8') as file:
            file.writelines(f'#include "{root}"\n' for root in reversed(headers.ROOTS))
        _run('g++-12', *_STRICT, '-fsyntax-only', '-I', self.prefix + '/include/twingrad', source)

    def test_says_how_to_use_it(self) -> None:
        self.assertIn('find_package(twingrad)', self.printed)
        self.assertIn(f'PKG_CONFIG_PATH={self.folder}/first/lib/pkgconfig', self.printed)

    def test_installs_over_itself(self) -> None:
        prefix = self.path('twice')
        for _ in range(2):
            status, printed = _main('--prefix=twice', folder=self.folder)
            self.assertEqual(status, 0, printed)
        self.assertEqual(sorted(os.listdir(prefix)), ['include', 'lib'])
        self.assertEqual(_tree(prefix), _tree(self.prefix))


class RefusalTest(unittest.TestCase):

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def put(self, path: str, content: bytes = b'old') -> None:
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)

    def refused(self, *arguments: str):
        """Status and message; nothing has changed."""
        before = _tree(self.folder)
        status, printed = _main(*arguments, folder=self.folder)
        self.assertEqual(_tree(self.folder), before)
        return status, printed.replace(self.folder, 'DIR')

    def test_wrong_arguments(self) -> None:
        self.assertEqual(self.refused(), (2, '[install] --prefix=DIR is missing or empty; a folder, new or not; say, '
                                             '--prefix=$HOME/.local\n'))
        self.assertEqual(self.refused('--prefix=')[0], 2)
        self.assertEqual(self.refused('--prefx=a'), (2, "[install] unknown argument '--prefx=a'; the only one is "
                                                        '--prefix=DIR; leave it out\n'))
        self.assertEqual(self.refused('--prefix=a', '--prefix=b'), (
            2, '[install] --prefix is there twice; one folder is installed to at a time; run it once for each\n'))

    def test_what_is_in_the_way(self) -> None:
        self.put('file')
        self.assertEqual(self.refused('--prefix=file'), (
            1, '[install] DIR/file is no folder; the prefix is one, new or not; choose another or move what is there\n'))
        self.assertEqual(self.refused('--prefix=file/below')[0], 1)
        self.put('own/include/twingrad/notes.txt')
        self.assertEqual(self.refused('--prefix=own'), (
            1, '[install] DIR/own/include/twingrad is there, and no installation made it; an installation has '
               'lib/cmake/twingrad beside it; move the folder away\n'))
        os.makedirs(os.path.join(self.folder, 'odd/lib/libtwingrad.a'))
        self.assertEqual(self.refused('--prefix=odd'), (
            1, '[install] DIR/odd/lib/libtwingrad.a is in the way: no file of an earlier installation; only those are '
               'replaced; move it away\n'))

    def test_a_folder_of_others(self) -> None:
        with mock.patch('os.access', return_value=False):
            self.assertEqual(self.refused('--prefix=new'), (
                1, '[install] DIR cannot be written to; the prefix is a folder of yours; choose another, or run this as '
                   'its owner\n'))

    def test_all_or_nothing(self) -> None:
        """Moves fail one after the other: an installation that was there stays, a new one leaves nothing."""
        moves = 2 * len(install.OWNED)
        for failing in range(moves):
            for name in _FILES:
                self.put('old/' + name)
            self.put('old/' + _ERROR)
            before = _tree(self.folder)
            with self.assertRaisesRegex(install.InstallError, 'No space left on device; .*nothing was changed'), \
                    self.failing_move(failing):
                install.install(os.path.join(self.folder, 'old'), _FILES)
            self.assertEqual(_tree(self.folder), before, failing)
        with self.assertRaises(install.InstallError), self.failing_move(len(install.OWNED) - 1):
            install.install(os.path.join(self.folder, 'fresh'), _FILES)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'fresh')))
        install.install(os.path.join(self.folder, 'old'), _FILES)
        self.assertEqual(set(_tree(os.path.join(self.folder, 'old')).values()), {b'new'})

    @contextlib.contextmanager
    def failing_move(self, failing: int):
        """os.rename fails once, at the call of this number."""
        calls = 0
        rename = os.rename

        def move(source: str, target: str) -> None:
            nonlocal calls
            calls += 1
            if calls == failing + 1:
                raise OSError(28, 'No space left on device', target)
            rename(source, target)
        with mock.patch('os.rename', move):
            yield

    def test_a_header_of_a_third_party(self) -> None:
        with mock.patch.object(headers, 'ROOTS', ('a.h',)), \
                mock.patch.object(install, '_read', {'a.h': '#include "absl/types/span.h"\n'}.get):
            self.assertEqual(self.refused('--prefix=new'), (
                1, '[install] a.h:1 includes absl/types/span.h, which is not installed; installed headers include each '
                   'other and the standard library; take the include out\n'))


if __name__ == '__main__':
    if sys.argv[1] == 'skip_instrumented':
        print('skipped: an instrumented library links to instrumented programs only')
        sys.exit(0)
    LIBRARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
