"""A Program as a script for PyTorch, for bug reports: what an engine's own users can run.

    PYTHONPATH=$PWD python3 tools/adapters/python/snippet.py finding/program.txt
"""

import sys

from autograd.program import example_reader
from tools.adapters.python import core

_DTYPES = {'f16': 'float16', 'bf16': 'bfloat16', 'f32': 'float32', 'f64': 'float64', 'i32': 'int32', 'i64': 'int64',
           'bool': 'bool'}


def _float(e):
    return "float('%s')" % e if e != e or e in (float('inf'), -float('inf')) else repr(e)


def _leaf(attributes):
    dtype, shape = attributes['type']
    data = ', '.join(map(_float, core.leaf_data(attributes)))
    grad = '.requires_grad_()' if attributes.get('grad') else ''
    return f'torch.tensor([{data}], dtype=torch.{_DTYPES[dtype]}).reshape({shape}).clone(){grad}'


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


# The right-hand side of ops: {x} is the first operand, {y} those behind it, {all} all of them; {keep} is a keepdim=
# that is not the default, {dims} a list of dims=, {beside} a weight and a bias or None; everything else is an
# attribute.
_FORMS = {
    **dict.fromkeys('neg exp log sqrt sin cos tanh sigmoid relu abs sgn maximum minimum logaddexp atan2 xlogy fmod remainder erfc sinc where addmm'.split(),
                    'torch.{op}({all})'),
    **dict.fromkeys('cummax cummin'.split(), '{x}.{op}({dim}).values'), 'topk': '{x}.topk({count}, {dim}).values',
    **dict.fromkeys('max min'.split(), '{x}.{op}(dim={dim}{keep}).values'),
    **dict.fromkeys('cat stack'.split(), 'torch.{op}([{all}], dim={dim})'),
    **dict.fromkeys('index_select gather scatter_add scatter index_add index_copy'.split(), '{x}.{op}({dim}, {y})'),
    'index': 'torch.ops.aten.index({x}, [{y}])', 'masked_select': '{x}.masked_select({y})',
    'sparse_coo': 'torch.sparse_coo_tensor({y}.clone(), {x}.clone(memory_format=torch.contiguous_format), {shape})',
    **dict.fromkeys('coalesce to_dense'.split(), '{x}.{op}()'), 'sparse_values': '{x}.values()', 'sparse_indices': '{x}.indices()',
    'embedding': 'torch.nn.functional.embedding({y}, {x}, sparse={sparse})',
    'scatter_reduce': '{x}.scatter_reduce({dim}, {y}, {reduction!r}, include_self={include_self})',
    **dict.fromkeys('cumsum softmax log_softmax unsqueeze'.split(), '{x}.{op}({dim})'),
    **dict.fromkeys('mse_loss cross_entropy'.split(), 'torch.nn.functional.{op}({all}, reduction={reduction!r})'),
    **dict.fromkeys('view reshape expand'.split(), '{x}.{op}({shape})'),
    'as_strided': '{x}.as_strided({shape}, {stride}, {x}.storage_offset() + {start})',
    'as_strided_scatter': '{x}.as_strided_scatter({y}, {shape}, {stride}, {x}.storage_offset() + {start})',
    'select_scatter': '{x}.select_scatter({y}, {dim}, {index})',
    'slice_scatter': '{x}.slice_scatter({y}, {dim}, {start}, {stop}, {step})',
    **dict.fromkeys('split chunk'.split(), '{x}.{op}({count}, {dim})'), 'unbind': '{x}.unbind({dim})',
    **dict.fromkeys('detach clone t'.split(), '{x}.{op}()'),
    'einsum': 'torch.einsum({equation!r}, {all}).clone()', 'linear': 'torch.nn.functional.{op}({all})',
    'inverse': 'torch.linalg.inv({x})', 'det': 'torch.linalg.det({x})',
    'solve_triangular': 'torch.linalg.solve_triangular({all}, upper={upper})',
    'cholesky': 'torch.linalg.cholesky({x}.tril() + {x}.tril(-1).mT)',
    'layer_norm': 'torch.layer_norm({x}, {x}.shape[{x}.dim() - {count}:], {beside}, {eps})',
    'group_norm': 'torch.group_norm({x}, {groups}, {beside}, {eps})',
    'batch_norm': 'torch.batch_norm({x}, {beside}, None, None, True, 0, {eps}, False)',
    'scaled_dot_product_attention': 'torch.nn.functional.{op}({all}, is_causal={causal})',
    'add': '{x} + {y}', 'sub': '{x} - {y}', 'mul': '{x} * {y}', 'div': '{x} / {y}', 'matmul': '{x} @ {y}',
    'pow': '{x} ** {y}', 'flip': '{x}.flip({dims})', 'select': '{x}.select({dim}, {index})',
    'masked_fill': '{y}.masked_fill({x}, {by})', 'read_grad': '{x}.grad.clone()',
    # Of what is detached, as there is no gradient to refuse.
    'argmax': '{x}.detach().max(dim={dim}{keep}).indices', 'argmin': '{x}.detach().min(dim={dim}{keep}).indices'}


def _expression(name, x, a):
    """The right-hand side, or None for what is no expression of PyTorch."""
    keep = f', keepdim={a["keepdim"]}' if a.get('keepdim') else ''
    if name in _FORMS:
        return _FORMS[name].format(op=name, x=x[0], y=', '.join(x[1:]), all=', '.join(x), keep=keep,
                                   beside=', '.join((x[1:] + ['None', 'None'])[:2]),
                                   **{'reduction': 'mean', 'start': 0, 'stop': None, 'step': 1, 'groups': 1, 'causal': False, 'upper': False, 'include_self': True, 'sparse': False, **a})
    if name == 'index_put':
        return f'{x[0]}.index_put(({", ".join(x[2:])},), {x[1]}, {a.get("accumulate", False)})'
    if name in ('std', 'norm'):
        function = 'torch.std({x}, {dims}, correction=0{keep})' if name == 'std' else 'torch.linalg.vector_norm({x}, 2, {dims}{keep})'
        return function.format(x=x[0], dims=a.get('dims', f'tuple(range({x[0]}.dim()))'), keep=keep)
    if name in ('sum', 'mean', 'amax', 'amin', 'logsumexp'):
        everything = f'list(range({x[0]}.dim()))' if keep or name == 'logsumexp' else ''
        dims = a.get('dims', everything)
        return f'{x[0]}.{name}({f"dim={dims}" if dims != "" else ""}{keep})'
    if name == 'prod':  # of one dimension at a time
        whole = 'dims' not in a and not keep
        dims = f'range({x[0]}.dim())' if 'dims' not in a else sorted(a['dims'])
        return f'{x[0]}.prod()' if whole else (
            f'functools.reduce(lambda t, d: t.prod(dim=d{keep}), sorted({dims}, reverse=True), {x[0]})')
    if name in ('sort', 'argsort'):
        of, result = (x[0], 'values') if name == 'sort' else (x[0] + '.detach()', 'indices')
        descending = f', descending={a["descending"]}' if a.get('descending') else ''
        return f'{of}.sort(dim={a["dim"]}{descending}, stable=True).{result}'
    if name == 'clamp':
        return f'{x[0]}.clamp({", ".join(f"{key}={_float(a[key])}" for key in ("min", "max") if key in a)})'
    if name in ('transpose', 'permute'):
        return f'{x[0]}.{name}({", ".join(map(str, a.get("dims", [])))})'
    if name == 'slice':
        return f'{x[0]}[{":, " * a["dim"]}{a.get("start", 0)}:{a.get("stop", "")}:{a.get("step", 1)}]'
    if name == 'squeeze':
        return f'{x[0]}.squeeze({tuple(a["dims"]) if "dims" in a else ""})'
    if name == 'cast':
        return f'{x[0]}.to(torch.{_DTYPES[a["to"]]}, copy=True)'
    return None


def snippet(program):
    """The script, or '' where some statement has no counterpart."""
    lines, indent, leaves, regions = [], '', [], []
    opening = {'no_grad': 'with torch.no_grad():', 'try': 'try:',
               'anomaly': 'with torch.autograd.detect_anomaly():'}
    for name, results, operands, a in example_reader.read(program):
        x = [v[1:] for v in operands]
        if name == 'leaf':
            text = f'{results[0][1:]} = {_leaf(a)}'
            leaves += [results[0][1:]] if a.get('grad') else []
        elif name in ('backward', 'grad'):
            text = _call(name, results, operands, a)
        elif name == 'begin' and a['kind'] in opening:
            regions.append(a['kind'])
            lines.append(indent + opening[a['kind']])
            indent += '    '
            continue
        elif name == 'end' and indent:
            if lines[-1].endswith(':'):
                lines.append(indent + 'pass')
            indent = indent[4:]
            if regions.pop() == 'try':
                lines += [indent + 'except RuntimeError as error:', indent + "    print('survived', error)"]
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
            if name in core.INDICES and len(results) > 1:  # values and indices come as a pair
                expression = expression.removesuffix('.values')
            text = ', '.join(v[1:] for v in results) + ',' * (name in core.PARTS) + ' = ' + expression
        lines.append(indent + text)
    lines += [f'print({leaf!r}, {leaf}.grad)' for leaf in leaves]
    imports = ['import functools'] * any('functools' in line for line in lines) + ['import torch']
    return '\n'.join(imports + lines) + '\n'


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as file:
        sys.stdout.write(snippet(file.read()) or '[snippet] a statement has no counterpart in PyTorch\n')
