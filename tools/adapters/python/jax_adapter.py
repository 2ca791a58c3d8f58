"""JAX: needs the package `jax`."""

import jax
import numpy
from jax import lax, numpy as jnp

from tools.adapters.python import core, functional

jax.config.update('jax_enable_x64', True)
DTYPES = {'f32': jnp.float32, 'f64': jnp.float64, 'i64': jnp.int64, 'bool': jnp.bool_}
NAMES = {jnp.dtype(dtype): name for name, dtype in DTYPES.items()}


@jax.custom_vjp
def tap(value, probe):
    """The value: what flows into it is the gradient of the probe, too."""
    return value


tap.defvjp(lambda value, probe: (tap(value, probe), None), lambda _, gradient: (gradient, gradient))


def reduction(function):
    return lambda a, x: function(x, axis=tuple(a['dims']) if 'dims' in a else None, keepdims=a.get('keepdim', False))


def along(function):
    return lambda a, x: function(x, axis=a['dim'], keepdims=a.get('keepdim', False))


def only_floating(function):
    def checked(a, *x):
        if not jnp.issubdtype(x[0].dtype, jnp.floating):
            raise core.Refused('integers')
        return function(a, *x)
    return checked


def places(a, x, index):
    """Where `index` stands for the coordinate of dim=, as a tuple of indices."""
    if index.size and not (0 <= int(index.min()) and int(index.max()) < x.shape[a['dim']]):
        raise core.ProgramError('index', 'an index out of range')
    grid = list(jnp.indices(index.shape))
    grid[a['dim']] = index
    return tuple(grid)


def index_select(a, x, index):
    places({'dim': 0}, jnp.zeros(x.shape[a['dim']]), index)
    return jnp.take(x, index, axis=a['dim'], mode='clip')


def scatter_add(a, x, index, y):
    return x.at[places(a, x, index)].add(y[tuple(map(slice, index.shape))])


def clamp(a, x):
    x = jnp.where(x < a['min'], a['min'], x) if 'min' in a else x
    return jnp.where(x > a['max'], a['max'], x) if 'max' in a else x


def loss(a, each):
    return {'none': lambda x: x, 'sum': jnp.sum}.get(a.get('reduction'), jnp.mean)(each)


def cross_entropy(a, x, index):
    at = places({'dim': x.ndim - 1}, x, index[..., None])
    return loss(a, -jax.nn.log_softmax(x, axis=-1)[at][..., 0])


def squeeze(a, x):
    return jnp.squeeze(x, tuple(d for d in a.get('dims', range(x.ndim)) if x.shape[d] == 1))


def plain(function):
    return lambda a, *x: function(*x)


OPS = {name: plain(getattr(jnp, name)) for name in 'add exp log sqrt sin cos tanh abs maximum minimum where matmul'.split()}
OPS |= {name: plain(function) for name, function in (
    ('sub', jnp.subtract), ('mul', jnp.multiply), ('div', jnp.divide), ('neg', jnp.negative), ('clone', jnp.copy),
    ('sigmoid', jax.nn.sigmoid), ('relu', jax.nn.relu), ('detach', lax.stop_gradient),
    ('sgn', lambda x: jnp.where(x == x, jnp.sign(x), 0).astype(x.dtype)), ('addmm', lambda x, y, z: x + y @ z))}
OPS |= {name: reduction(function) for name, function in (
    ('sum', jnp.sum), ('mean', jnp.mean), ('prod', jnp.prod), ('amax', jnp.max), ('amin', jnp.min),
    ('logsumexp', jax.nn.logsumexp))}
OPS |= {name: along(getattr(jnp, name)) for name in ('max', 'min', 'argmax', 'argmin')}
OPS |= {
    'pow': only_floating(plain(jnp.power)), 'clamp': clamp, 'squeeze': squeeze, 'index_select': index_select,
    'gather': lambda a, x, index: x[places(a, x, index)], 'scatter_add': scatter_add, 'cross_entropy': cross_entropy,
    'mse_loss': lambda a, x, y: loss(a, (x - y) ** 2), 'cat': lambda a, *x: jnp.concatenate(x, a['dim']),
    'stack': lambda a, *x: jnp.stack(x, a['dim']), 'flip': lambda a, x: jnp.flip(x, tuple(a['dims'])),
    'sort': lambda a, x: jnp.sort(x, axis=a['dim'], descending=a.get('descending', False)),
    'argsort': lambda a, x: jnp.argsort(x, axis=a['dim'], descending=a.get('descending', False)),
    'cumsum': lambda a, x: jnp.cumsum(x, a['dim']), 'softmax': lambda a, x: jax.nn.softmax(x, a['dim']),
    'log_softmax': lambda a, x: jax.nn.log_softmax(x, a['dim']), 'reshape': lambda a, x: jnp.reshape(x, a['shape']),
    'transpose': lambda a, x: jnp.swapaxes(x, *a['dims']), 'permute': lambda a, x: jnp.transpose(x, a.get('dims', [])),
    'expand': lambda a, x: jnp.broadcast_to(x, a['shape']), 'unsqueeze': lambda a, x: jnp.expand_dims(x, a['dim']),
    'select': lambda a, x: lax.index_in_dim(x, a['index'], a['dim'], keepdims=False),
    'slice': lambda a, x: x[(slice(None),) * a['dim'] + (slice(a.get('start', 0), a.get('stop'), a.get('step', 1)),)],
    'cast': lambda a, x: (only_floating if a['to'] != 'i64' else plain)(lambda *y: y[-1].astype(DTYPES[a['to']]))(a, x)}


class Jax(functional.Functional):
    FUNCTIONS = OPS
    HELLO = {'name': 'jax', 'version': jax.__version__, 'dtypes': ','.join(DTYPES),
             'ops': ','.join([*functional.STATEMENTS, *OPS])}
    tap, vjp = staticmethod(tap), staticmethod(jax.vjp)
    zeros_like, ones_like = staticmethod(jnp.zeros_like), staticmethod(jnp.ones_like)

    def tensor(self, dtype, shape, data):
        return jnp.asarray(numpy.array(data, DTYPES[dtype]).reshape(shape))

    def floating(self, value):
        return jnp.issubdtype(value.dtype, jnp.floating)

    def data(self, tensor):
        return NAMES[tensor.dtype], list(tensor.shape), numpy.asarray(tensor).reshape(-1).tolist()


if __name__ == '__main__':
    core.serve(Jax)
