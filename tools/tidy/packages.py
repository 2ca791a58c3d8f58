"""Packages form a directed acyclic graph: no folder depends on one that depends on it.

Bazel allows `//a:x` -> `//b:y` -> `//a:z`, since targets and not packages are its nodes. A reader thinks in folders,
so the cycle a -> b -> a is an error here. Tests count too: a test belongs in the folder above everything it uses.

BUILD files are syntactically Python, so `ast` reads them. Every label in any attribute counts; `load`, visibility
and the conditions of `select` do not.
"""

import ast
import graphlib
import os
from typing import Dict, Iterator, List, NamedTuple, Tuple

from tools.tidy.rules import Finding

BUILD = 'BUILD.bazel'
_NO_DEPENDENCIES = {'load', 'package', 'package_group', 'exports_files', 'licenses'}
_NO_DEPENDENCY_ATTRIBUTES = {'visibility', 'default_visibility', 'flag_values', 'build_setting_default'}


class Dependency(NamedTuple):
    """Where one package names a label of another."""
    package: str
    line: int
    label: str


def package_of(label: str) -> str:
    return label[2:].split(':')[0]


class _Labels(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: List[Tuple[int, str]] = []

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ''
        if name in _NO_DEPENDENCIES:
            return
        for argument in node.args:
            if name == 'select' and isinstance(argument, ast.Dict):
                for value in argument.values:
                    self.visit(value)
            else:
                self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg not in _NO_DEPENDENCY_ATTRIBUTES:
                self.visit(keyword.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and node.value.startswith('//'):
            self.found.append((node.lineno, node.value))


def dependencies(package: str, text: str) -> Iterator[Dependency]:
    """The labels of other packages in one BUILD file."""
    labels = _Labels()
    labels.visit(ast.parse(text))
    for line, label in labels.found:
        if package_of(label) != package and not label.endswith((':__subpackages__', ':__pkg__')):
            yield Dependency(package, line, label)


def check_packages(builds: Dict[str, str]) -> Iterator[Finding]:
    """builds: the path of each BUILD file and its text. One finding for each cycle, until none is left."""
    graph: Dict[str, Dict[str, Tuple[Dependency, int]]] = {}
    for path, text in sorted(builds.items()):
        package = os.path.dirname(path)
        uses = graph.setdefault(package, {})
        for dependency in dependencies(package, text):
            first, count = uses.get(package_of(dependency.label), (dependency, 0))
            uses[package_of(dependency.label)] = (first, count + 1)
    while cycle := _cycle(graph):
        # The edge of fewest labels is most likely the one in the wrong direction.
        edges = list(zip(cycle, cycle[1:]))
        package, used = min(edges, key=lambda edge: graph[edge[0]][edge[1]][1])
        dependency = graph[package].pop(used)[0]
        names = ' -> '.join('//' + name for name in cycle)
        yield Finding(os.path.join(package, BUILD), dependency.line,
                      f'{dependency.label} closes a cycle of packages: {names}; packages are a DAG, tests included; '
                      'move what both share below them, or the test above them')


def _cycle(graph) -> List[str]:
    """A cycle in the order of use, its first package again at its end; nothing if there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []
