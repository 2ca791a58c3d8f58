"""JAX: needs the package `jax`."""

import math
import os

os.environ.setdefault('XLA_FLAGS', '--xla_backend_optimization_level=0')  # compiles fast

import jax
import numpy
from jax import lax, numpy as jnp

from tools.adapters.python import calls, core, dropout, functional

jax.config.update('jax_enable_x64', True)
DTYPES = {'f16': jnp.float16, 'bf16': jnp.bfloat16, 'f32': jnp.float32, 'f64': jnp.float64, 'i32': jnp.int32,
          'i64': jnp.int64, 'bool': jnp.bool_}
NAMES = {jnp.dtype(dtype): name for name, dtype in DTYPES.items()}


@jax.custom_vjp
def tap(value, probe):
    """The value: what flows into it is the gradient of the probe, too."""
    return value


tap.defvjp(lambda value, probe: (tap(value, probe), None), lambda _, gradient: (gradient, gradient))


def floating(x):
    return jnp.issubdtype(x.dtype, jnp.floating)


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


def scatter(a, x, index, y):
    """Of several elements for one place the last stays, which JAX leaves open: so each is put alone."""
    at = [where.ravel() for where in places(a, x, index)]
    last = {place: k for k, place in enumerate(zip(*(where.tolist() for where in at)))}
    kept = numpy.array(sorted(last.values()), int)
    return x.at[tuple(where[kept] for where in at)].set(y.ravel()[kept])


def entries(a, index):
    return (slice(None),) * a['dim'] + (index,)


def index_add(a, x, index, y):
    places({'dim': 0}, jnp.zeros(x.shape[a['dim']]), index)
    return x.at[entries(a, index)].add(y)


def index_copy(a, x, index, y):
    places({'dim': 0}, jnp.zeros(x.shape[a['dim']]), index)
    last = {place: k for k, place in enumerate(index.tolist())}
    kept = numpy.array(sorted(last.values()), int)
    return x.at[entries(a, index[kept])].set(jnp.take(y, kept, axis=a['dim']))


def named(a, x, indices):
    """What indices of the first dimensions, or a mask, name, as a tuple of indices."""
    if indices[0].dtype == bool:
        return true_places(a, indices[0])
    for size, index in zip(x.shape, indices):
        places({'dim': 0}, jnp.zeros(size), index.ravel())
    return tuple(numpy.asarray(index) for index in indices)


def true_places(a, mask):
    at = numpy.nonzero(numpy.asarray(mask))
    if len(at[0]) != a['count']:
        raise core.ProgramError('invalid_argument', 'a mask with another count of true elements')
    return at


def index_put(a, x, y, *indices):
    at = named(a, x, indices)
    if a.get('accumulate'):
        return x.at[at].add(y)
    rows = numpy.arange(x.size).reshape(x.shape)[at]
    last = {place: k for k, place in enumerate(rows.ravel().tolist())}
    kept = numpy.array(sorted(last.values()), int)
    return x.ravel().at[rows.ravel()[kept]].set(jnp.broadcast_to(y, rows.shape).ravel()[kept]).reshape(x.shape)


def sparse_coo(a, values, indices):
    """What is sparse is dense here, and its indices are kept beside it: a['at']."""
    zeros = jnp.zeros(a['shape'], values.dtype)
    return zeros.at[named(a, zeros, tuple(a['at']))].add(values)


def coalesce(a, x):
    if a['at'].shape[1] != a['count']:
        raise core.ProgramError('invalid_argument', 'another number of different indices')
    return x


def masked_select(a, x, mask):
    shape = numpy.broadcast_shapes(x.shape, mask.shape)
    return jnp.broadcast_to(x, shape)[true_places(a, jnp.broadcast_to(mask, shape))]


def scatter_reduce(a, x, index, y):
    """JAX has no derivatives of products and extremes of several elements for one place."""
    if a['reduction'] not in ('sum', 'mean'):
        raise core.Refused('products and extremes have no derivatives')
    at, own = places(a, x, index), a.get('include_self', True)
    sums = (x if own else x.at[at].set(0)).at[at].add(y)
    if a['reduction'] == 'sum':
        return sums
    return sums / (jnp.ones_like(x) if own else jnp.ones_like(x).at[at].set(0)).at[at].add(1)


def unfold(a, x):
    starts = range(0, x.shape[a['dim']] - a['count'] + 1, a.get('step', 1))
    index = numpy.array([[start + k for k in range(a['count'])] for start in starts])
    return jnp.moveaxis(jnp.take(x, index, axis=a['dim']), a['dim'] + 1, -1)


def strided_places(a):
    places = numpy.full(a['shape'], a.get('start', 0))
    for d, stride in enumerate(a['stride']):
        places += stride * numpy.arange(a['shape'][d]).reshape([-1] + [1] * (len(a['shape']) - d - 1))
    return places


def as_strided(a, x):
    return jnp.take(x.ravel(), strided_places(a)).reshape(a['shape'])


def as_strided_scatter(a, x, y):
    return x.ravel().at[strided_places(a).ravel()].set(y.ravel()).reshape(x.shape)


def diagonal_scatter(a, x, y):
    by, matrices = int(a.get('by', 0)), jnp.moveaxis(x, a['dims'], (-2, -1))
    rows, columns = numpy.arange(y.shape[-1]) + max(-by, 0), numpy.arange(y.shape[-1]) + max(by, 0)
    return jnp.moveaxis(matrices.at[..., rows, columns].set(y), (-2, -1), a['dims'])


def chunk(a, x):
    size = x.shape[a['dim']]
    return split({**a, 'count': -(-size // a['count'])}, x) if size else (x,) * a['count']


def split(a, x):
    return jnp.split(x, list(range(a['count'], x.shape[a['dim']], a['count'])), axis=a['dim'])


def clamp(a, x):
    x = jnp.where(x < a['min'], a['min'], x) if 'min' in a else x
    return jnp.where(x > a['max'], a['max'], x) if 'max' in a else x


def widths(a, x):
    pairs = list(zip(a['pads'][::2], a['pads'][1::2]))
    return [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]


def loss(a, each):
    return {'none': lambda x: x, 'sum': jnp.sum}.get(a.get('reduction'), jnp.mean)(each)


def cross_entropy(a, x, index):
    at = places({'dim': x.ndim - 1}, x, index[..., None])
    return loss(a, -jax.nn.log_softmax(x, axis=-1)[at][..., 0])


def nll_loss(a, x, index):
    at = places({'dim': x.ndim - 1}, x, index[..., None])
    return loss(a, -x[at][..., 0])


def convolve(a, x, weight):
    dims = weight.ndim - 2
    around = [(n, n) for n in a.get('padding', [0] * dims)]
    batched = x if x.ndim == weight.ndim else x[None]
    y = lax.conv_general_dilated(
        batched, weight, a.get('stride', [1] * dims), around, rhs_dilation=a.get('dilation', [1] * dims),
        feature_group_count=a.get('groups', 1))
    return y if x.ndim == weight.ndim else y[0]


def pool(a, x, start, combine):
    lead = (1,) * (x.ndim - len(a['kernel']))
    around = [(0, 0)] * len(lead) + [(n, n) for n in a.get('padding', [0] * len(a['kernel']))]
    stride = a.get('stride', a['kernel'])
    return lax.reduce_window(x, numpy.array(start, x.dtype), combine, lead + tuple(a['kernel']), lead + tuple(stride), around)


def embedding(a, x, index):
    """With sparse=1 too the gradient is dense: an engine may list its rows, but need not."""
    places({'dim': 0}, jnp.zeros(x.shape[0]), index.ravel())
    return x[index]


def linear(a, x, weight, bias=0):
    return x @ weight.T + bias


def attention(a, q, k, v):
    """With causal=1 row by row: what a query does not see is not even multiplied by 0."""
    def rows(q, k, v):
        return jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]), axis=-1) @ v

    if not a.get('causal') or not q.shape[-2]:
        return rows(q, k, v)
    return jnp.concatenate(
        [rows(q[..., i:i + 1, :], k[..., :i + 1, :], v[..., :i + 1, :]) for i in range(q.shape[-2])], axis=-2)


def normalized(a, x, axes):
    apart = x - x.mean(axes, keepdims=True)
    return apart * lax.rsqrt((apart * apart).mean(axes, keepdims=True) + jnp.array(a['eps'], x.dtype))


def layer_norm(a, x, weight=1, bias=0):
    return normalized(a, x, tuple(range(x.ndim - a['count'], x.ndim))) * weight + bias


def of_channels(x, numbers):
    return numbers.reshape((-1,) + (1,) * (x.ndim - 2))


def group_norm(a, x, *beside):
    groups = a.get('groups', 1)
    parts = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    return scaled(normalized(a, parts, tuple(range(2, parts.ndim))).reshape(x.shape), *beside)


def batch_norm(a, x, *beside):
    return scaled(normalized(a, x, (0, *range(2, x.ndim))), *beside)


def scaled(x, weight=None, bias=None):
    x = x if weight is None else x * of_channels(x, weight)
    return x if bias is None else x + of_channels(x, bias)


def drop(a, x):
    return x * jnp.array(dropout.factors(a, x.size), x.dtype).reshape(x.shape)


def solve_triangular(a, x, y):
    x = jnp.triu(x) if a.get('upper') else jnp.tril(x)  # the other triangle has no gradient
    return lax.linalg.triangular_solve(x, y, left_side=True, lower=not a.get('upper', False))


def cholesky(a, x):
    """Of the lower triangle, mirrored: JAX takes the mean of both."""
    return lax.linalg.cholesky(jnp.tril(x) + jnp.swapaxes(jnp.tril(x, -1), -1, -2))


OPS = calls.table(
    jnp, names=('axis', 'keepdims'), plain='''add sub:subtract mul:multiply div:divide neg:negative
    exp log sqrt sin cos tanh tan
    asin:arcsin acos:arccos atan:arctan sinh cosh asinh:arcsinh acosh:arccosh atanh:arctanh expm1 log1p
    log2 log10 exp2 square abs sinc maximum minimum logaddexp atan2:arctan2 t:transpose where matmul bmm:matmul dot outer clone:copy''',
    listed='cat:concatenate stack',
    dim='cumsum cumprod unsqueeze:expand_dims', dims='flip permute:transpose', swap='transpose:swapaxes',
    shape='reshape expand:broadcast_to', reduce='sum mean prod var std amax:max amin:min',
    along='max min argmax argmin', sort='sort argsort')
OPS |= calls.table(jax.nn, names=('axis', 'keepdims'), plain='sigmoid relu silu softplus relu6 hardsigmoid:hard_sigmoid selu', reduce='logsumexp',
                   dim='softmax log_softmax')
OPS |= {
    'erf': lambda a, x: lax.erf(x), 'erfc': lambda a, x: lax.erfc(x),
    'xlogy': lambda a, x, y: jax.scipy.special.xlogy(x, y),
    'fmod': lambda a, x, y: jnp.fmod(x, y),
    'remainder': lambda a, x, y: jnp.remainder(x, y),
    'masked_fill': lambda a, mask, x: jnp.where(mask, jnp.array(a['by'], x.dtype), x),
    'index': lambda a, x, *indices: x[named(a, x, indices)], 'index_put': index_put, 'masked_select': masked_select,
    'sparse_coo': sparse_coo, 'coalesce': coalesce, 'to_dense': lambda a, x: x,
    'sparse_values': lambda a, x: x[tuple(a['at'])], 'sparse_indices': lambda a, x: jnp.asarray(a['at']),
    'scatter_reduce': scatter_reduce, 'scatter': scatter, 'index_add': index_add, 'index_copy': index_copy, 'unfold': unfold, 'alias': lambda a, x: x,
    'norm': lambda a, x: jnp.linalg.vector_norm(
        x, axis=tuple(a['dims']) if 'dims' in a else None, keepdims=a.get('keepdim', False)),
    'select_scatter': lambda a, x, y: x.at[(slice(None),) * a['dim'] + (a['index'],)].set(y),
    'slice_scatter': lambda a, x, y: x.at[(slice(None),) * a['dim'] + (slice(*calls.span(a)),)].set(y),
    'diagonal_scatter': diagonal_scatter, 'as_strided_scatter': as_strided_scatter,
    'as_strided': as_strided, 'unbind': lambda a, x: jnp.unstack(x, axis=a['dim']), 'split': split, 'chunk': chunk,
    'diagonal': lambda a, x: jnp.diagonal(x, int(a.get('by', 0)), *a['dims']), 'rsqrt': lambda a, x: lax.rsqrt(x), 'reciprocal': lambda a, x: 1 / x,
    'gelu': lambda a, x: jax.nn.gelu(x, approximate=False),
    'gelu_tanh': lambda a, x: jax.nn.gelu(x, approximate=True),
    'sgn': lambda a, x: jnp.where(x == x, jnp.sign(x), 0).astype(x.dtype), 'clamp': clamp,
    'addmm': lambda a, x, y, z: x + y @ z, 'detach': lambda a, x: lax.stop_gradient(x),
    'cast': lambda a, x: (jnp.astype if a['to'] in ('i32', 'i64') else calls.only(floating, jnp.astype))(
        x, DTYPES[a['to']]),
    'pow': lambda a, *x: calls.only(floating, jnp.power)(*x), 'index_select': index_select,
    'gather': lambda a, x, index: x[places(a, x, index)], 'scatter_add': scatter_add,
    'addcmul': lambda a, x, y, z: x + y * z, 'addcdiv': lambda a, x, y, z: x + y / z,
    'addmv': lambda a, x, y, z: x + y @ z, 'addr': lambda a, x, y, z: x + jnp.outer(y, z),
    'baddbmm': lambda a, x, y, z: x + y @ z, 'addbmm': lambda a, x, y, z: x + (y @ z).sum(0),
    'leaky_relu': lambda a, x: jax.nn.leaky_relu(x, a['by']), 'elu': lambda a, x: jax.nn.elu(x, a['by']),
    'celu': lambda a, x: jax.nn.celu(x, a['by']), 'hardtanh': clamp,
    'cummax': lambda a, x: lax.cummax(x, a['dim']), 'cummin': lambda a, x: lax.cummin(x, a['dim']),
    'topk': lambda a, x: jnp.moveaxis(lax.top_k(jnp.moveaxis(x, a['dim'], -1), a['count'])[0], -1, a['dim']),
    'logcumsumexp': lambda a, x: lax.cumlogsumexp(x, a['dim']),
    'roll': lambda a, x: jnp.roll(x, int(a['by']), a['dim']),
    'tril': lambda a, x: jnp.tril(x, int(a.get('by', 0))), 'triu': lambda a, x: jnp.triu(x, int(a.get('by', 0))),
    'pad': lambda a, x: jnp.pad(x, widths(a, x), constant_values=a.get('by', 0)),
    'pad_reflect': lambda a, x: jnp.pad(x, widths(a, x), 'reflect'),
    'pad_replicate': lambda a, x: jnp.pad(x, widths(a, x), 'edge'),
    'pad_circular': lambda a, x: jnp.pad(x, widths(a, x), 'wrap'),
    'repeat': lambda a, x: jnp.tile(x, a['shape']), 'embedding': embedding,
    **{f'conv{d}d': convolve for d in (1, 2, 3)},
    **{f'avg_pool{d}d': lambda a, x: pool(a, x, 0, lax.add) / math.prod(a['kernel']) for d in (1, 2, 3)},
    **{f'max_pool{d}d': lambda a, x: pool(a, x, -math.inf, lax.max) for d in (1, 2, 3)},
    'smooth_l1_loss': lambda a, x, y: loss(a, jnp.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - 0.5)),
    'inverse': lambda a, x: jnp.linalg.inv(x), 'det': lambda a, x: jnp.linalg.det(x), 'solve_triangular': solve_triangular, 'cholesky': cholesky,
    'einsum': lambda a, *x: jnp.einsum(a['equation'], *x), 'linear': linear, 'scaled_dot_product_attention': attention, 'layer_norm': layer_norm, 'group_norm': group_norm,
    'batch_norm': batch_norm, 'dropout': drop,
    'lerp': lambda a, x, y, z: x + z * (y - x),
    'bce_with_logits': lambda a, x, y: loss(a, jax.nn.softplus(x) - x * y), 'nll_loss': nll_loss,
    'mse_loss': lambda a, x, y: loss(a, (x - y) ** 2), 'cross_entropy': cross_entropy,
    'select': lambda a, x: lax.index_in_dim(x, a['index'], a['dim'], keepdims=False),
    'slice': lambda a, x: x[(slice(None),) * a['dim'] + (slice(*calls.span(a)),)],
    'squeeze': lambda a, x: jnp.squeeze(
        x, tuple(d for d in a.get('dims', range(x.ndim)) if x.shape[d] == 1))}


OPS |= calls.in_type_of_operand(OPS, 'sum prod cumsum cumprod', jnp.astype)


class Jax(functional.Functional):
    FUNCTIONS = OPS
    HELLO = core.hello('jax', jax.__version__, DTYPES, ['read_grad', 'zero_grad', *OPS], raises='index',
                       facts='accessors')
    ACCESSORS = {word: lambda engine, x, read=read: engine.data(read(x)) for word, read in {
        'copy': jnp.copy, 'numpy': numpy.array, 'device_get': jax.device_get,
        'flatten': lambda x: x.ravel().reshape(x.shape),
        'tolist': lambda x: numpy.array(x.tolist(), x.dtype).reshape(x.shape),
        'rows': lambda x: jnp.stack(list(x)) if x.ndim and len(x) else x,
        'item': lambda x: jnp.full(x.shape, x.item(), x.dtype) if x.size == 1 else x,
        'at': lambda x: x.at[...].multiply(1)}.items()}
    tap, vjp, floating = staticmethod(tap), staticmethod(jax.vjp), staticmethod(floating)
    zeros_like, ones_like = staticmethod(jnp.zeros_like), staticmethod(jnp.ones_like)

    def __init__(self):
        super().__init__()
        self.at = {}  # the indices of sparse values

    def statement(self, name, results, operands, a):
        if name == 'sparse_coo':
            self.at[results[0]] = numpy.asarray(self.everything[operands[1]])
        elif name == 'coalesce':
            self.at[results[0]] = numpy.unique(self.at[operands[0]], axis=1)
        sparse = results[0] if name in ('sparse_coo', 'coalesce') else operands[0] if operands else None
        super().statement(name, results, operands, {**a, 'at': self.at[sparse]} if sparse in self.at else a)

    def tensor(self, dtype, shape, data):
        return jnp.asarray(numpy.array(data, DTYPES[dtype]).reshape(shape))

    def copy(self, tensor):
        return numpy.array(tensor)

    def fill(self, tensor, number):
        tensor[...] = number

    def data(self, tensor):
        flat = numpy.asarray(tensor).reshape(-1)
        # numpy itself has no bf16.
        return NAMES[tensor.dtype], list(tensor.shape), (flat.astype(numpy.float64) if floating(flat) else flat).tolist()


if __name__ == '__main__':
    core.serve(Jax)
