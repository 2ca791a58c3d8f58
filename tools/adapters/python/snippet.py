"""A Program as a script for PyTorch, for bug reports: what an engine's own users can run.

    PYTHONPATH=$PWD python3 tools/adapters/python/snippet.py finding/program.txt
"""

import sys

from autograd.program import example_reader
from tools.adapters.python import core

_BINARY = {'add': '+', 'sub': '-', 'mul': '*', 'div': '/', 'matmul': '@', 'pow': '**'}
_UNARY = 'neg exp log sqrt sin cos tanh sigmoid relu abs maximum where'.split()
_DTYPES = {'f32': 'float32', 'f64': 'float64', 'i64': 'int64', 'bool': 'bool'}


def _leaf(attributes):
    dtype, shape = attributes['type']
    data = ', '.join("float('%s')" % e if e != e or e in (float('inf'), -float('inf')) else repr(e)
                     for e in core.leaf_data(attributes))
    grad = '.requires_grad_()' if attributes.get('grad') else ''
    return f'torch.tensor([{data}], dtype=torch.{_DTYPES[dtype]}).reshape({shape}){grad}'


def _call(name, results, operands, a):
    def listed(values):
        return '[' + ', '.join('None' if v == '_' else v[1:] for v in values) + ']'

    flags = ''.join(f', {key}={a[key]}' for key in ('retain_graph', 'create_graph', 'allow_unused') if key in a)
    flags += ', materialize_grads=True' if a.get('materialize') else ''
    seeds = f', grad_tensors={listed(a["seeds"])}' if 'seeds' in a else ''
    if name == 'backward':
        inputs = f', inputs={listed(a["inputs"])}' if 'inputs' in a else ''
        return f'torch.autograd.backward({listed(operands)}{seeds}{inputs}{flags})'
    targets = ', '.join(v[1:] for v in results) + (',' if len(results) == 1 else '')
    seeds = seeds.replace('grad_tensors', 'grad_outputs')
    return f'{targets} = torch.autograd.grad({listed(operands)}, {listed(a["inputs"])}{seeds}{flags})'


def _expression(name, x, a):
    """The right-hand side, or None for what is no expression of PyTorch."""
    if name in _BINARY:
        return f' {_BINARY[name]} '.join(x)
    if name in _UNARY:
        return f'torch.{name}({", ".join(x)})'
    if name in ('sum', 'mean'):
        dims = f'dim={a["dims"]}, ' if 'dims' in a else ''
        keep = f'keepdim={a["keepdim"]}' if a.get('keepdim') else ''
        return f'{x[0]}.{name}({(dims + keep).rstrip(", ")})'
    if name in ('view', 'reshape', 'expand'):
        return f'{x[0]}.{name}({a["shape"]})'
    if name in ('transpose', 'permute'):
        return f'{x[0]}.{name}({", ".join(map(str, a.get("dims", [])))})'
    if name == 'slice':
        stop = a.get('stop', '')
        colons = ':, ' * a['dim']
        return f'{x[0]}[{colons}{a.get("start", 0)}:{stop}:{a.get("step", 1)}]'
    return {'select': lambda: f'{x[0]}.select({a["dim"]}, {a["index"]})',
            'squeeze': lambda: f'{x[0]}.squeeze({tuple(a["dims"]) if "dims" in a else ""})',
            'unsqueeze': lambda: f'{x[0]}.unsqueeze({a["dim"]})', 'detach': lambda: f'{x[0]}.detach()',
            'clone': lambda: f'{x[0]}.clone()', 'read_grad': lambda: f'{x[0]}.grad.clone()',
            'cast': lambda: f'{x[0]}.to(torch.{_DTYPES[a["to"]]}, copy=True)'}.get(name, lambda: None)()


def snippet(program):
    """The script, or '' where some statement has no counterpart."""
    lines, indent, leaves = ['import torch'], '', []
    for name, results, operands, a in example_reader.read(program):
        x = [v[1:] for v in operands]
        if name == 'leaf':
            text = f'{results[0][1:]} = {_leaf(a)}'
            leaves += [results[0][1:]] if a.get('grad') else []
        elif name in ('backward', 'grad'):
            text = _call(name, results, operands, a)
        elif name == 'begin' and a['kind'] == 'no_grad':
            lines.append(indent + 'with torch.no_grad():')
            indent += '    '
            continue
        elif name == 'end' and indent:
            indent = indent[4:]
            continue
        elif name == 'retain_grad':
            text = f'{x[0]}.retain_grad()'
        elif name == 'zero_grad':
            text = f'{x[0]}.grad = None'
        elif name.endswith('_'):
            text = f'{x[0]}.{name}({", ".join(x[1:])})'
        elif name == 'expect':
            continue
        else:
            expression = _expression(name, x, a)
            if expression is None:
                return ''
            text = f'{results[0][1:]} = {expression}'
        lines.append(indent + text)
    lines += [f'print({leaf!r}, {leaf}.grad)' for leaf in leaves]
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as file:
        sys.stdout.write(snippet(file.read()) or '[snippet] a statement has no counterpart in PyTorch\n')
