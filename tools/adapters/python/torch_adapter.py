"""PyTorch, through its Python front end: needs the package `torch`."""

import torch

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
    ('gradients', 'grad_count'))


def reduction(function):
    def reduce(a, x):
        if 'dims' not in a and not a.get('keepdim'):
            return function(x)
        return function(x, dim=a.get('dims', list(range(x.dim()))), keepdim=a.get('keepdim', False))
    return reduce


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


UNARY = 'neg exp log sqrt sin cos tanh sigmoid relu abs'.split()
IN_PLACE = 'add_ sub_ mul_ div_ neg_ exp_ sqrt_ sin_ cos_ tanh_ sigmoid_ relu_ abs_ copy_ zero_'.split()


class Torch(core.Engine):
    OPS = {name: (lambda f: lambda a, x: f(x))(getattr(torch, name)) for name in UNARY}
    OPS |= {name: (lambda f: lambda a, x, y: f(x, y))(getattr(torch, name))
            for name in ('add', 'sub', 'mul', 'div', 'maximum', 'matmul')}
    OPS |= {name: (lambda m: lambda a, *x: (getattr(x[0], m)(*x[1:]), None)[1])(name) for name in IN_PLACE}
    OPS |= {
        'pow': power, 'where': lambda a, c, x, y: torch.where(c, x, y), 'cast': cast, 'view': view,
        'sum': reduction(torch.sum), 'mean': reduction(torch.mean),
        'reshape': lambda a, x: x.view(a['shape']) if x.is_contiguous() else
        x.clone(memory_format=torch.contiguous_format).view(a['shape']),
        'transpose': lambda a, x: x.transpose(*a['dims']), 'permute': lambda a, x: x.permute(a.get('dims', [])),
        'expand': lambda a, x: x.expand(a['shape']), 'select': lambda a, x: x.select(a['dim'], a['index']),
        'slice': lambda a, x: torch.ops.aten.slice(x, a['dim'], a.get('start', 0), a.get('stop'), a.get('step', 1)),
        'squeeze': lambda a, x: x.squeeze(a['dims']) if 'dims' in a else x.squeeze(),
        'unsqueeze': lambda a, x: x.unsqueeze(a['dim']), 'detach': lambda a, x: x.detach(),
        'clone': lambda a, x: x.clone(memory_format=torch.contiguous_format),
        'retain_grad': lambda a, x: x.retain_grad(), 'zero_grad': lambda a, x: setattr(x, 'grad', None),
        'read_grad': lambda a, x: None if x.grad is None else x.grad.clone()}
    HELLO = {'name': 'torch', 'version': torch.__version__.split('+')[0], 'dtypes': ','.join(DTYPES),
             'ops': ','.join(['leaf', 'backward', 'grad', 'expect', *OPS]), 'facts': 'versions,requires_grad,errors'}

    def leaf(self, dtype, shape, data, requires_grad):
        return torch.tensor(data, dtype=DTYPES[dtype]).reshape(shape).requires_grad_(requires_grad)

    def statement(self, name, results, operands, attributes):
        get = lambda key: [self.values[v] if v != '_' else None for v in attributes[key]] if key in attributes else None
        flags = {key: attributes[key] for key in ('retain_graph', 'create_graph') if key in attributes}
        roots, seeds, inputs = [self.values[v] for v in operands], get('seeds') or None, get('inputs')
        if name == 'backward':
            torch.autograd.backward(roots, seeds, inputs=inputs, **flags)
        elif name == 'grad':
            flags['materialize_grads'] = attributes.get('materialize', False)
            flags['allow_unused'] = attributes.get('allow_unused', False) or flags['materialize_grads']
            self.values.update(zip(results, torch.autograd.grad(roots, inputs, seeds, **flags)))
        else:
            raise core.Refused(name)

    def data(self, tensor):
        flat = tensor.detach().reshape(-1)
        return NAMES[tensor.dtype], list(tensor.shape), flat.tolist()

    def facts(self, tensor):
        return f' version={tensor._version} requires_grad={int(tensor.requires_grad)}'

    def grad(self, tensor):
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def error_class(self, error):
        return next((word for text, word in MESSAGES if text in str(error)), 'internal')


if __name__ == '__main__':
    torch.set_num_threads(1)
    core.serve(Torch)
