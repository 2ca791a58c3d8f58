"""Layering: a source includes only headers of its own target and of the targets that its own one names.

Otherwise a library that no longer needs another one breaks whoever reached that one through it. Bazel 4 has no
layering_check, so this rule reads BUILD files and includes. A header passes on what it includes with
`// IWYU pragma: export`; nothing else is passed on.

BUILD files are syntactically Python: they are run here with functions that record their arguments. A select() counts
as all of its branches together; what another .bzl file defines is empty.
"""

import ast
import os
import posixpath
import re
from typing import Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from tools.tidy.includes import included, offered
from tools.tidy.rules import CPP, Finding

BUILD = 'BUILD.bazel'
_OWN = ('autograd/', 'cuda/', 'fuzz/', 'proptests/', 'tools/')
_GOOGLETEST = '@com_google_googletest//:gtest_main'

# Headers of third parties: how their paths begin, and the targets of which one must be named.
_TORCH = ('@local_libtorch//:libtorch', '@local_pytorch//:libtorch')
_CUDA = ('//cuda/fake:fake', '@local_cuda//:runtime')  # One or the other (tools/rules/cuda.bzl).
_THIRD_PARTY = [
    ('gtest/', ('@com_google_googletest//:gtest', _GOOGLETEST)),
    ('gmock/', ('@com_google_googletest//:gtest', _GOOGLETEST)),
    ('nlohmann/', ('@nlohmann_json//:json',)),
    ('rapidcheck/gtest.h', ('@rapidcheck//:rapidcheck_gtest',)),
    ('rapidcheck', ('@rapidcheck//:rapidcheck',)),
    ('benchmark/', ('@com_github_google_benchmark//:benchmark',)),
    ('arb.h', ('@local_arb//:arb',)),
    ('arb_poly.h', ('@local_arb//:arb',)),
    ('arf.h', ('@local_arb//:arb',)),
    ('mag.h', ('@local_arb//:arb',)),
    ('flint/', ('@local_arb//:arb',)),
    ('hwy/', ('@highway//:highway',)),
    ('dnnl.h', ('@local_onednn//:onednn',)),
    ('boost/context/', ('@boost_context//:context',)),
    ('ATen/', _TORCH),
    ('c10/', _TORCH),
    ('torch/', _TORCH),
    ('cuda_runtime_api.h', ('//cuda/fake:declarations', *_CUDA)),
]
# Abseil's targets are named as their headers, except for these of whole folders.
_ABSL_FOLDERS = {'strings': 'strings', 'time': 'time'}
_ABSL_OF_THEIR_OWN = {'str_format', 'cord'}


class Target(NamedTuple):
    """One compilation: sources and headers as paths, direct dependencies as full labels."""
    label: str
    sources: FrozenSet[str]
    headers: FrozenSet[str]
    deps: FrozenSet[str]


class _Elsewhere(list):
    """What a BUILD file loads, be it a list or a function: it is empty, and so is what it returns."""

    def __call__(self, *_, **__) -> list:
        return []


def full_label(label: str, package: str) -> str:
    """`:x`, `//a/x` and `@x` as `//a:x`, `//a/x:x` and `@x//:x`; without the suffix of the model back end."""
    if label.endswith('.model'):
        label = label[:-len('.model')]
    if label.startswith('@') and '//' not in label:
        label += '//'
    if not label.startswith(('//', '@')):
        return f'//{package}:{label.lstrip(":")}'
    if ':' in label:
        return label
    return f'{label}:{label.rstrip("/").rsplit("/", 1)[-1].lstrip("@")}'


def third_party_labels(include: str) -> Tuple[str, ...]:
    """The targets that offer a header of a third party; nothing for headers of no interest."""
    if include.startswith('absl/'):
        folder, header = posixpath.split(include[len('absl/'):-len('.h')])
        name = header if header in _ABSL_OF_THEIR_OWN else _ABSL_FOLDERS.get(folder, header)
        return (f'@com_google_absl//absl/{folder}:{name}',)
    return next((labels for start, labels in _THIRD_PARTY if include.startswith(start)), ())


def _glob_expression(pattern: str) -> 're.Pattern[str]':
    pieces = {'**/': '(?:.*/)?', '**': '.*', '*': '[^/]*'}
    return re.compile(''.join(pieces.get(piece, re.escape(piece)) for piece in re.split(r'(\*\*/|\*\*|\*)', pattern)))


class _Package:
    """Runs one BUILD file and records its targets."""

    def __init__(self, package: str, files: Set[str]) -> None:
        self.package = package
        self.files = files  # Of this package, relative to it.
        self.targets: List[Target] = []
        self.aliases: Dict[str, str] = {}
        self.groups: Dict[str, List[str]] = {}

    def run(self, text: str) -> None:
        tree = ast.parse(text)
        names = {name.id: _Elsewhere() for name in ast.walk(tree) if isinstance(name, ast.Name)}
        names.update({'True': True, 'False': False, 'None': None, 'select': self._select, 'glob': self._glob,
                      'dict': dict, 'len': len, 'sorted': sorted, 'range': range, 'alias': self._alias,
                      'filegroup': self._filegroup, 'ag_package': self._folder,
                      'sanitizer_mutants': self._sanitizer_mutants})
        for rule in ('ag_library', 'ag_binary', 'ag_test', 'cc_library', 'cc_binary', 'cc_test', 'ag_fuzz_target'):
            names[rule] = self._compile
        names['cuda_library'] = self._with(*_CUDA)
        names['cuda_test'] = names['cuda_fake_test'] = self._with(_GOOGLETEST, *_CUDA)
        names['interleaving_test'] = self._with(_GOOGLETEST)
        exec(compile(tree, self.package, 'exec'), {'__builtins__': {}, **names})  # Our own BUILD file.

    def _select(self, branches: Dict[str, object], **_) -> object:
        values = list(branches.values())
        if all(isinstance(value, list) for value in values):
            return [item for value in values for item in value]
        return values[-1]

    def _glob(self, include: List[str], exclude: Optional[List[str]] = None, **_) -> List[str]:
        wanted = [_glob_expression(pattern) for pattern in include]
        unwanted = [_glob_expression(pattern) for pattern in exclude or []]
        return sorted(file for file in self.files if any(e.fullmatch(file) for e in wanted)
                      and not any(e.fullmatch(file) for e in unwanted))

    def _alias(self, name: str, actual: str, **_) -> None:
        self.aliases[full_label(name, self.package)] = full_label(actual, self.package)

    def _filegroup(self, name: str, srcs=(), **_) -> None:
        self.groups[full_label(name, self.package)] = [full_label(source, self.package) for source in srcs]

    def _compile(self, name: str, srcs=(), hdrs=(), deps=(), model_srcs=(), **_) -> None:
        self.targets.append(Target(
            full_label(name, self.package),
            frozenset(full_label(source, self.package) for source in [*srcs, *(model_srcs or ())]),
            frozenset(full_label(header, self.package) for header in hdrs),
            frozenset(full_label(label, self.package) for label in deps)))

    def _with(self, *labels: str) -> Callable[..., None]:
        """A rule that adds dependencies by itself."""
        return lambda deps=(), **attributes: self._compile(deps=[*deps, *labels], **attributes)

    def _folder(self, name: str, hdrs=None, apart=(), deps=(), test_srcs=(), test_deps=(), **attributes) -> None:
        sources, headers, tests = (self._glob([pattern], [*apart, *test_srcs]) for pattern in ('*.cc', '*.h', '*_test.cc'))
        self._compile(name=name, srcs=sorted({*sources, *headers} - {*tests}), hdrs=headers if hdrs is None else hdrs,
                      deps=deps, **attributes)
        if tests:  # They may include what the library keeps to itself.
            self._compile(name=name + '_test', srcs=[*tests, *test_srcs, *headers],
                          deps=[':' + name, _GOOGLETEST, *deps, *test_deps])

    def _sanitizer_mutants(self, rows: Dict[str, dict]) -> None:
        for name, row in rows.items():
            self._compile(name=name + '_program', srcs=[name + '.cc'],
                          deps=[*row.get('deps', ()), *(['//proptests/mutants'] if 'sources' in row else [])])


def _path(label: str) -> str:
    package, name = label[2:].split(':')
    return posixpath.join(package, name)


def _paths(labels: FrozenSet[str], groups: Dict[str, List[str]]) -> FrozenSet[str]:
    return frozenset(_path(file) for label in labels for file in groups.get(label, [label]))


def read_targets(texts: Dict[str, Optional[str]]) -> Dict[str, Target]:
    """The targets of all BUILD files, by label."""
    builds = {os.path.dirname(path): text for path, text in texts.items() if os.path.basename(path) == BUILD and text}
    files: Dict[str, Set[str]] = {package: set() for package in builds}
    for path in texts:
        folder = os.path.dirname(path)
        while folder and folder not in builds:
            folder = os.path.dirname(folder)
        if folder in builds:
            files[folder].add(os.path.relpath(path, folder or '.'))
    packages = []
    for package, text in sorted(builds.items()):
        packages.append(_Package(package, files[package]))
        packages[-1].run(text)
    aliases = {label: actual for package in packages for label, actual in package.aliases.items()}
    groups = {label: srcs for package in packages for label, srcs in package.groups.items()}
    return {target.label: target._replace(sources=_paths(target.sources, groups),
                                          headers=_paths(target.headers, groups),
                                          deps=frozenset(aliases.get(label, label) for label in target.deps))
            for package in packages for target in package.targets}


def _short(label: str) -> str:
    package, name = label.rsplit(':', 1)
    return package if package.rsplit('/', 1)[-1] == name else label


def check_layering(texts: Dict[str, Optional[str]]) -> Iterator[Finding]:
    """texts: every file of the tree, by its path."""
    targets = read_targets(texts)
    offers = {label: offered(target.headers, texts) for label, target in targets.items()}
    owners: Dict[str, str] = {}
    for label, target in sorted(targets.items(), reverse=True):
        owners.update(dict.fromkeys(target.headers, label))
    for label, target in sorted(targets.items()):
        own = target.sources | target.headers
        visible = own.union(*(offers.get(dep, ()) for dep in target.deps))
        for path in sorted(file for file in own if file.endswith(CPP)):
            for line, include, _ in included(texts.get(path) or ''):
                if include.startswith(_OWN):  # What a rule generates is no file of the tree.
                    missing = owners.get(include, '') if include in texts and include not in visible else None
                else:
                    labels = third_party_labels(include)
                    missing = labels[-1] if labels and not target.deps.intersection(labels) else None
                if missing:
                    yield Finding(path, line, f'includes {include} of {_short(missing)}, which is no direct dependency '
                                              f'of {_short(label)}; add it')
                elif missing == '':
                    yield Finding(path, line, f'{_short(label)} includes {include}, which is among the hdrs of no '
                                              'target; add it there')
