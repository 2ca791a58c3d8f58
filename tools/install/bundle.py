"""Makes one static library of many, in which the names of third-party code are its own.

    bundle.py --nm=NM --objcopy=OBJCOPY --out=libtwingrad.a ARCHIVE...

Programs that link the library may link the same third-party code once more, in another version or compiled
otherwise. So each symbol of a third-party namespace gets another name, in definitions and uses alike: absl becomes
absl_twingrad. Renaming, unlike hiding, keeps what the linker does with single members, weak symbols and COMDAT groups.

What the library then defines is named after the project, or is of the C++ standard library and so alike everywhere.
Anything else is an error: a third party that _NAMESPACES does not name.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple

_NAMESPACES = ('absl', 'dnnl', 'hwy', 'nlohmann')
_SUFFIX = '_twingrad'
# A namespace in a mangled name is its length and itself: 4absl. No digit before it, that would be another length.
_MANGLED = re.compile(r'(?<!\d)(?:%s)' % '|'.join(f'{len(name)}{name}' for name in _NAMESPACES))
# Functions with C linkage.
_PLAIN = re.compile(r'(?:Absl|absl_)\w+')
# Entities of std and __gnu_cxx, operators new and delete, what belongs to one (vtable, type, guard, what is local to a
# function), and what the compiler makes.
_STANDARD = re.compile(r'_Z(?:T[VISTth](?:n?\d+_)*|GV|GR)?Z*(?:N[rVKRO]*)?(?:S[tabsiod]|9__gnu_cxx|n[wa][jm]|d[la]P)|'
                       r'DW\.ref\.|__clang_call_terminate')
# Names and descriptions of the types of a shared library's C interface, alike everywhere.
_OF_C = re.compile(r'_ZT[IS]\w*\ddnnl_')
_OWN = ('8twingrad', _SUFFIX, 'autograd_sync_')


class BundleError(Exception):
    """What is wrong, in one line."""


def renamed(symbol: str) -> str:
    """The symbol under which third-party code goes in the bundle; other symbols are as they are."""
    if symbol.startswith(('_Z', 'DW.ref._Z')):  # The second: where a handler finds its type.
        return _MANGLED.sub(_longer, symbol)
    return symbol + _SUFFIX if _PLAIN.fullmatch(symbol) else symbol


def _longer(match: 're.Match[str]') -> str:
    name = match.group(0).lstrip('0123456789') + _SUFFIX
    return f'{len(name)}{name}'


def is_known(symbol: str) -> bool:
    """Whether the bundle may define it."""
    return any(own in symbol for own in _OWN) or any(kind.match(symbol) for kind in (_STANDARD, _OF_C))


def members(archive: bytes) -> Iterator[Tuple[str, bytes]]:
    """Name and content of each member of a GNU archive, in order; names may repeat."""
    if not archive.startswith(b'!<arch>\n'):
        raise BundleError('is no archive of objects')
    at, names = 8, b''
    while at + 60 <= len(archive):
        name = archive[at:at + 16].rstrip().decode()
        size = int(archive[at + 48:at + 58])
        content = archive[at + 60:at + 60 + size]
        at += 60 + size + size % 2
        if name == '//':
            names = content
        elif name not in ('/', '/SYM64/'):
            if name.startswith('/'):
                begin = int(name[1:])
                name = names[begin:names.index(b'\n', begin)].decode()
            yield name.rstrip('/'), content


def unpack(archives: Iterable[str], folder: str) -> List[str]:
    """Writes each object under a name of its own: paths, in order."""
    paths: List[str] = []
    taken: Set[str] = set()
    for archive in archives:
        with open(archive, 'rb') as file:
            content = file.read()
        library = os.path.basename(archive)[:-len('.a')]
        library = library[len('lib'):] if library.startswith('lib') else library
        try:
            for member, data in members(content):
                name, count = f'{library}_{member}', 1
                while name in taken:
                    count += 1
                    name = f'{library}_{count}_{member}'
                taken.add(name)
                paths.append(os.path.join(folder, name))
                with open(paths[-1], 'wb') as file:
                    file.write(data)
        except BundleError as error:
            raise BundleError(f'{archive} {error}') from None
    return paths


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'}).stdout


def symbols(nm: str, path: str, *options: str) -> Iterator[Tuple[str, str]]:
    """Type letter and name of each symbol of an object or archive."""
    for line in _run(nm, '--no-sort', '--format=posix', *options, path).splitlines():
        fields = line.split()
        if len(fields) >= 2 and len(fields[1]) == 1:
            yield fields[1], fields[0]


def bundle(archives: List[str], nm: str, objcopy: str, ar: str, out: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        objects = unpack(archives, folder)
        if not objects:
            raise BundleError('there is no object to bundle')
        whole = os.path.join(folder, 'all.a')
        _archive(ar, whole, objects, folder)
        names: Dict[str, str] = {}
        # Local ones too: one of them names the COMDAT group of a class's destructors.
        for _, symbol in symbols(nm, whole):
            names[symbol] = renamed(symbol)
        _check_names(names.values())
        table = os.path.join(folder, 'names')
        with open(table, 'w', encoding='utf-8') as file:
            file.writelines(f'{old} {new}\n' for old, new in sorted(names.items()) if old != new)
        _run(objcopy, f'--redefine-syms={table}', '--strip-debug', whole)
        unknown = sorted({name for kind, name in symbols(nm, whole, '--extern-only') if kind not in 'Uwv' and not is_known(name)})
        if unknown:
            raise BundleError('these symbols would be global, and are neither the project\'s nor the standard library\'s; '
                              'name their namespace in tools/install/bundle.py: ' + ' '.join(unknown[:10]))
        shutil.copyfile(whole, out)


def _check_names(names: Iterable[str]) -> None:
    seen: Set[str] = set()
    for name in names:
        if name in seen:
            raise BundleError(f'two symbols would be named {name}')
        seen.add(name)


def _archive(ar: str, path: str, objects: List[str], folder: str) -> None:
    """The arguments through a file: there are hundreds."""
    arguments = os.path.join(folder, 'objects')
    with open(arguments, 'w', encoding='utf-8') as file:
        file.writelines(path + '\n' for path in objects)
    _run(ar, 'rcsD', path, '@' + arguments)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser()
    for name in ('nm', 'objcopy', 'ar', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('archives', nargs='+')
    given = parser.parse_args(arguments)
    try:
        bundle(given.archives, given.nm, given.objcopy, given.ar, given.out)
    except BundleError as error:
        print(f'[bundle] {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
