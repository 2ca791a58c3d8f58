"""PyTorch, through its Python front end: needs the package `torch`."""

import torch
from torch.nn import functional

from tools.adapters.python import core

DTYPES = {'f32': torch.float32, 'f64': torch.float64, 'i64': torch.int64, 'bool': torch.bool}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
MESSAGES = (
    ('modified by an inplace operation', 'version'), ('a second time', 'freed'),
    ('leaf Variable that requires grad', 'leaf_in_place'),
    ('is a view and is being modified inplace', 'invalid_argument'),
    ('A view was created in no_grad mode', 'invalid_argument'),
    ('single memory location', 'invalid_argument'), ('to not have been used', 'unused_input'),
    ('implicitly created only for', 'implicit_seed'), ('does not require grad', 'no_graph'),
    ('requires_grad=False', 'no_graph'), ('Mismatch in shape', 'shape'), (' tensors and ', 'grad_count'),
    ('gradients', 'grad_count'), ('out of bounds', 'index'), ('out of range', 'index'),
    ('cannot be empty', 'invalid_argument'))


def reduction(function, whole=True):
    """Over dims=, or all; `whole`: without arguments the function reduces to a scalar."""
    def reduce(a, x):
        if whole and 'dims' not in a and not a.get('keepdim'):
            return function(x)
        return function(x, dim=a.get('dims', list(range(x.dim()))), keepdim=a.get('keepdim', False))
    return reduce


def prod(a, x):
    if 'dims' not in a and not (a.get('keepdim') and x.dim()):
        return torch.prod(x)
    for dim in sorted(a.get('dims', range(x.dim())), reverse=True):
        x = torch.prod(x, dim=dim, keepdim=a.get('keepdim', False))
    return x


def cast(a, x):
    if a['to'] == 'i64' and x.is_floating_point():
        raise core.Refused('float to integer: out of range is undefined')
    return x.to(DTYPES[a['to']], copy=True)


def power(a, x, y):
    if not x.is_floating_point():
        raise core.Refused('pow of integers')
    return torch.pow(x, y)


def view(a, x):
    if not x.is_contiguous():
        raise core.ProgramError('invalid_argument', 'view of a tensor that is not contiguous')
    return x.view(a['shape'])


def reshape(a, x):
    return (x if x.is_contiguous() else x.clone(memory_format=torch.contiguous_format)).view(a['shape'])


UNARY = 'neg exp log sqrt sin cos tanh sigmoid relu abs sgn'.split()
BINARY = 'add sub mul div maximum minimum matmul'.split()
ALONG = 'cumsum softmax log_softmax'.split()
# Not copy_ and zero_: zeros flow into the history of what they overwrite, where Programs ask for none.
IN_PLACE = 'add_ sub_ mul_ div_ neg_ exp_ sqrt_ sin_ cos_ tanh_ sigmoid_ relu_ abs_'.split()


class Torch(core.Engine):
    OPS = {name: (lambda f: lambda a, x: f(x))(getattr(torch, name)) for name in UNARY}
    OPS |= {name: (lambda f: lambda a, x, y: f(x, y))(getattr(torch, name)) for name in BINARY}
    OPS |= {name: (lambda f: lambda a, x: f(x, a['dim']))(getattr(torch, name)) for name in ALONG}
    OPS |= {name: (lambda m: lambda a, *x: (getattr(x[0], m)(*x[1:]), None)[1])(name) for name in IN_PLACE}
    OPS |= {name: (lambda f, i: lambda a, x: f(x, a['dim'], a.get('keepdim', False))[i])(getattr(torch, of), i)
            for name, of, i in (('max', 'max', 0), ('min', 'min', 0), ('argmax', 'max', 1), ('argmin', 'min', 1))}
    OPS |= {name: (lambda i: lambda a, x: torch.sort(x, dim=a['dim'], descending=a.get('descending', False),
                                                     stable=True)[i])(i) for i, name in enumerate(('sort', 'argsort'))}
    OPS |= {
        'sum': reduction(torch.sum), 'mean': reduction(torch.mean), 'prod': prod,
        'amax': reduction(torch.amax), 'amin': reduction(torch.amin), 'logsumexp': reduction(torch.logsumexp, False),
        'pow': power, 'where': lambda a, c, x, y: torch.where(c, x, y), 'cast': cast, 'view': view,
        'clamp': lambda a, x: torch.clamp(x, a.get('min'), a.get('max')), 'addmm': lambda a, *x: torch.addmm(*x),
        'cat': lambda a, *x: torch.cat(x, a['dim']), 'stack': lambda a, *x: torch.stack(x, a['dim']),
        'flip': lambda a, x: torch.flip(x, a['dims']),
        'index_select': lambda a, x, i: torch.index_select(x, a['dim'], i),
        'gather': lambda a, x, i: torch.gather(x, a['dim'], i),
        'scatter_add': lambda a, x, i, y: torch.scatter_add(x, a['dim'], i, y),
        'mse_loss': lambda a, x, y: functional.mse_loss(x, y, reduction=a.get('reduction', 'mean')),
        'cross_entropy': lambda a, x, i: functional.cross_entropy(x, i, reduction=a.get('reduction', 'mean')),
        'reshape': reshape, 'transpose': lambda a, x: x.transpose(*a['dims']),
        'permute': lambda a, x: x.permute(a.get('dims', [])), 'expand': lambda a, x: x.expand(a['shape']),
        'select': lambda a, x: x.select(a['dim'], a['index']), 'unsqueeze': lambda a, x: x.unsqueeze(a['dim']),
        'slice': lambda a, x: torch.ops.aten.slice(x, a['dim'], a.get('start', 0), a.get('stop'), a.get('step', 1)),
        'squeeze': lambda a, x: x.squeeze(a['dims']) if 'dims' in a else x.squeeze(),
        'clone': lambda a, x: x.clone(memory_format=torch.contiguous_format), 'detach': lambda a, x: x.detach(),
        'retain_grad': lambda a, x: x.retain_grad(), 'zero_grad': lambda a, x: setattr(x, 'grad', None),
        'read_grad': lambda a, x: None if x.grad is None else x.grad.clone()}
    HELLO = {'name': 'torch', 'version': torch.__version__.split('+')[0], 'dtypes': ','.join(DTYPES),
             'ops': ','.join(['leaf', 'backward', 'grad', 'begin', 'end', 'expect', *OPS]), 'facts': 'errors'}

    def record(self, enabled):
        super().record(enabled)
        torch.set_grad_enabled(enabled)

    def leaf(self, name, dtype, shape, data, requires_grad):
        # A clone: what reshape gives may be a view, and writes to it would go through its base.
        return torch.tensor(data, dtype=DTYPES[dtype]).reshape(shape).clone().requires_grad_(requires_grad)

    def statement(self, name, results, operands, attributes):
        get = lambda key: [self.values[v] if v != '_' else None for v in attributes[key]] if key in attributes else None
        flags = {key: attributes[key] for key in ('retain_graph', 'create_graph') if key in attributes}
        roots, seeds, inputs = [self.values[v] for v in operands], get('seeds') or None, get('inputs')
        if seeds and any(s is not None and s.dtype != r.dtype for s, r in zip(seeds, roots)):
            raise core.Refused('a seed of another type than its root is converted')
        if name == 'backward':
            torch.autograd.backward(roots, seeds, inputs=inputs, **flags)
        elif name == 'grad':
            flags['materialize_grads'] = attributes.get('materialize', False)
            flags['allow_unused'] = attributes.get('allow_unused', False) or flags['materialize_grads']
            self.values.update(zip(results, torch.autograd.grad(roots, inputs, seeds, **flags)))
        else:
            raise core.Refused(name)

    def data(self, tensor):
        shape = list(tensor.shape)
        if tensor._is_zerotensor():  # without memory
            return NAMES[tensor.dtype], shape, [0.0] * tensor.numel()
        return NAMES[tensor.dtype], shape, tensor.detach().reshape(-1).tolist()

    def grad(self, name):
        tensor = self.values[name]
        try:
            tensor.grad_fn
        except RuntimeError:  # a view made in no_grad, whose base was written
            return None
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def error_class(self, error):
        return next((word for text, word in MESSAGES if text in str(error)), 'internal')


if __name__ == '__main__':
    torch.set_num_threads(1)
    core.serve(Torch)
