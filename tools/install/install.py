"""Installs the library: headers, one static library, and what CMake and pkg-config look for.

    tools/bazel run //autograd:install -- --prefix=DIR

      DIR/include/twingrad/autograd/...    the headers (headers.py)
      DIR/lib/libtwingrad.a                the library with all that it needs (bundle.py)
      DIR/lib/pkgconfig/twingrad.pc
      DIR/lib/cmake/twingrad/              twingradConfig.cmake and its version

An installation may be moved as a whole. It replaces one that is there: everything is written beside its place first and
then moved, and what is there stays if anything goes wrong. Exit status: 0, 1 on an error, 2 on wrong arguments.
"""

import os
import shutil
import sys
import tempfile
from typing import Dict, List, Optional

from tools.install import headers

VERSION = '0.1.0'

_HERE = os.path.dirname(os.path.abspath(__file__))
_ROOT = os.path.dirname(os.path.dirname(_HERE))  # The repository, or what stands for it when Bazel runs this.
_TEMPLATES = {'twingrad.pc': 'lib/pkgconfig', 'twingradConfig.cmake': 'lib/cmake/twingrad',
              'twingradConfigVersion.cmake': 'lib/cmake/twingrad'}
# What an installation owns: folders and files that are replaced as a whole.
OWNED = ('include/twingrad', 'lib/cmake/twingrad', 'lib/libtwingrad.a', 'lib/pkgconfig/twingrad.pc')


class InstallError(Exception):
    """`what is wrong; what is allowed; what to do`, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def _read(path: str) -> Optional[str]:
    try:
        with open(os.path.join(_ROOT, path), encoding='utf-8') as file:
            return file.read()
    except FileNotFoundError:
        return None


def contents(library: str) -> Dict[str, bytes]:
    """Every file of an installation by its path in the prefix."""
    found, foreign = headers.closure(_read, headers.ROOTS)
    if foreign:
        entry = foreign[0]
        raise InstallError(f'{entry.path}:{entry.line} includes {entry.included}, which is not installed; installed headers '
                           'include each other and the standard library; take the include out')
    files = {'include/twingrad/' + path: text.encode() for path, text in found.items()}
    for name, folder in _TEMPLATES.items():
        with open(os.path.join(_HERE, 'templates', name), encoding='utf-8') as file:
            files[f'{folder}/{name}'] = file.read().replace('@VERSION@', VERSION).encode()
    with open(library, 'rb') as file:
        files['lib/libtwingrad.a'] = file.read()
    return files


def prefix_of(arguments: List[str], base: str) -> str:
    """The folder that --prefix names, where relative paths count from `base`."""
    prefix = None
    for argument in arguments:
        if not argument.startswith('--prefix='):
            raise InstallError(f'unknown argument {argument!r}; the only one is --prefix=DIR; leave it out', 2)
        if prefix is not None:
            raise InstallError('--prefix is there twice; one folder is installed to at a time; run it once for each', 2)
        prefix = argument[len('--prefix='):]
    if not prefix:
        raise InstallError('--prefix=DIR is missing or empty; a folder, new or not; say, --prefix=$HOME/.local', 2)
    return os.path.normpath(os.path.join(base, os.path.expanduser(prefix)))


def _check_places(prefix: str) -> None:
    """Refuses what is in the way before anything is written."""
    for path in (prefix, *(os.path.join(prefix, os.path.dirname(owned)) for owned in OWNED)):
        place = path
        while not os.path.lexists(place):
            place = os.path.dirname(place)
        if not os.path.isdir(place):
            raise InstallError(f'{place} is no folder; the prefix is one, new or not; choose another or move what is there')
        if not os.access(place, os.W_OK | os.X_OK):
            raise InstallError(f'{place} cannot be written to; the prefix is a folder of yours; choose another, or run '
                               'this as its owner')
    for owned in OWNED:
        path = os.path.join(prefix, owned)
        is_folder = '.' not in os.path.basename(owned)
        if os.path.lexists(path) and (os.path.isdir(path) != is_folder or os.path.islink(path)):
            raise InstallError(f'{path} is in the way: no {"folder" if is_folder else "file"} of an earlier installation; '
                               'only those are replaced; move it away')
    if os.path.isdir(os.path.join(prefix, 'include/twingrad')) and not os.path.isfile(
            os.path.join(prefix, 'lib/cmake/twingrad/twingradConfig.cmake')):
        raise InstallError(f'{prefix}/include/twingrad is there, and no installation made it; an installation has '
                           'lib/cmake/twingrad beside it; move the folder away')


def _write(folder: str, files: Dict[str, bytes]) -> None:
    for path, content in files.items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, 'wb') as file:
            file.write(content)


def _swap(new: str, old: str, prefix: str) -> None:
    """Moves what an installation owns from `new` to the prefix and from there to `old`; all of it or nothing."""
    done: List[str] = []
    try:
        for owned in OWNED:
            place = os.path.join(prefix, owned)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if os.path.lexists(place):
                kept = os.path.join(old, owned)
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                os.rename(place, kept)
            done.append(owned)
            os.rename(os.path.join(new, owned), place)
    except OSError:
        for owned in done:
            place, kept = os.path.join(prefix, owned), os.path.join(old, owned)
            if os.path.lexists(place):
                os.rename(place, os.path.join(new, owned))
            if os.path.lexists(kept):
                os.rename(kept, place)
        raise


def install(prefix: str, files: Dict[str, bytes]) -> None:
    _check_places(prefix)
    made = not os.path.isdir(prefix)
    try:
        os.makedirs(prefix, exist_ok=True)
        work = tempfile.mkdtemp(prefix='.twingrad-', dir=prefix)
        try:
            new, old = os.path.join(work, 'new'), os.path.join(work, 'old')
            _write(new, files)
            _swap(new, old, prefix)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        if made:
            shutil.rmtree(prefix, ignore_errors=True)
        raise InstallError(f'{error.filename or prefix}: {error.strerror}; the prefix needs room and must be yours to write; '
                           'nothing was changed, try again or choose another') from None


def main(arguments: List[str]) -> int:
    try:
        library, *rest = arguments
        prefix = prefix_of(rest, os.environ.get('BUILD_WORKING_DIRECTORY', os.getcwd()))
        files = contents(library[len('--library='):])
        install(prefix, files)
    except InstallError as error:
        print(f'[install] {error}', file=sys.stderr)
        return error.status
    print(f'installed {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB, under {prefix}\n'
          f'CMake: -DCMAKE_PREFIX_PATH={prefix}, then find_package(twingrad) and twingrad::twingrad\n'
          f'else:  PKG_CONFIG_PATH={prefix}/lib/pkgconfig pkg-config --cflags --libs twingrad')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
