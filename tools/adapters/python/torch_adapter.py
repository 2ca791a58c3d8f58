"""PyTorch, through its Python front end: needs the package `torch`."""

import copy
import re

import torch

from tools.adapters.python import calls, core, dropout

DTYPES = {'f16': torch.float16, 'bf16': torch.bfloat16, 'f32': torch.float32, 'f64': torch.float64, 'i32': torch.int32,
          'i64': torch.int64, 'bool': torch.bool}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
# What a message holds -> the class of the error; the first that fits. The last two: to say which seed does
# not fit, PyTorch looks for it by ==, so that a comparison of tensors fails before the message is made.
MESSAGES = {
    'returned nan values': 'anomaly', 'modified by an inplace operation': 'version', 'a second time': 'freed',
    'leaf Variable that requires grad': 'leaf_in_place', 'to not have been used': 'unused_input',
    'is a view and is being modified inplace': 'invalid_argument',
    'created in no_grad mode': 'invalid_argument', 'returns multiple views': 'invalid_argument', 'cannot be empty': 'invalid_argument',
    'single memory location': 'invalid_argument', 'implicitly created only for': 'implicit_seed',
    'diagonal element': 'domain', 'not positive-definite': 'domain',
    'does not require grad': 'no_graph', 'requires_grad=False': 'no_graph', 'Mismatch in shape': 'shape',
    ' tensors and ': 'grad_count', 'gradients': 'grad_count', 'out of bounds': 'index', 'out of DATA bounds': 'index',
    'indexing axis dim should be positive': 'index', 'out of range': 'index',
    'Boolean value of Tensor': 'shape', 'must match the size of tensor': 'shape'}

# Of ops that PyTorch has, but not of this type; and of derivatives that it has not.
LACKS = re.compile(r"not implemented for '(Half|BFloat16|Int)'|Low precision dtypes not supported|derivative for aten::")


def cast(a, x):
    if a['to'] in ('i32', 'i64') and x.is_floating_point():
        raise core.Refused('float to integer: out of range is undefined')
    return x.to(DTYPES[a['to']], copy=True)


def view(a, x):
    if not x.is_contiguous():
        raise core.ProgramError('invalid_argument', 'view of a tensor that is not contiguous')
    return x.view(a['shape'])


def scatter(a, x, index, y):
    order = torch.arange(index.numel()).view(index.shape)
    last = torch.zeros(x.shape, dtype=torch.int64).scatter(a['dim'], index, order).gather(a['dim'], index)
    if not torch.equal(last, order):
        raise core.Refused('of several elements for one place it is open which one stays')
    return x.scatter(a['dim'], index, y)


def as_strided(a, x):
    if not x.is_contiguous():
        raise core.ProgramError('invalid_argument', 'as_strided of a tensor that is not contiguous')
    return x.as_strided(a['shape'], a['stride'], x.storage_offset() + a.get('start', 0))


def as_strided_scatter(a, x, y):
    if not x.is_contiguous():
        raise core.Refused('places in a tensor that is not contiguous are counted by its strides')
    return x.as_strided_scatter(y, a['shape'], a['stride'], x.storage_offset() + a.get('start', 0))


def topk(a, x):
    """Both results."""
    if len(x.unique()) < x.numel() or x.isnan().any():
        raise core.Refused('of equal elements it is open which comes first')
    return x.topk(a['count'], a['dim'])


def index_copy(a, x, index, y):
    if len(index.unique()) != len(index):
        raise core.Refused('of several entries for one place it is open which one stays')
    return x.index_copy(a['dim'], index, y)


def count_true(a, mask):
    if int(mask.sum()) != a['count']:
        raise core.ProgramError('invalid_argument', 'a mask with another count of true elements')


def checked(a, x, *indices):
    """PyTorch counts negative indices from the end, and looks at none where nothing is taken."""
    for size, index in zip(x.shape, indices):
        if index.dtype == torch.bool:
            count_true(a, index)
        elif index.numel() and not (0 <= int(index.min()) and int(index.max()) < size):
            raise core.ProgramError('index', 'an index out of range')
    return indices


def index_put(a, x, y, *indices):
    places = torch.arange(x.numel()).view(x.shape)[checked(a, x, *indices)]
    adds = a.get('accumulate', False)
    if not adds and len(places.unique()) != places.numel():
        raise core.Refused('of several elements for one place it is open which one stays')
    return x.index_put(indices, y, adds)


def sparse_coo(a, values, indices):
    """Of copies, so that writes to what it is made of do not reach it."""
    for size, index in zip(a['shape'], indices):
        if index.numel() and not (0 <= int(index.min()) and int(index.max()) < size):
            raise core.ProgramError('index', 'an index out of range')
    # Entries one after the other: to_dense() takes a stride for their size (golden/findings).
    values = values.clone(memory_format=torch.contiguous_format)
    return torch.sparse_coo_tensor(indices.clone(), values, a['shape'], check_invariants=False)


def coalesce(a, x):
    result = x.clone() if x.is_coalesced() else x.coalesce()
    if result._nnz() != a['count']:
        raise core.ProgramError('invalid_argument', 'another number of different indices')
    return result


def dense_copy(gradient):
    return gradient.to_dense() if gradient.is_sparse else gradient.clone()


def elementwise(gradient):
    """What accessors read: of a gradient that lists its entries the dense form."""
    gradient = gradient.detach()
    return gradient.to_dense() if gradient.is_sparse else gradient


def masked_select(a, x, mask):
    count_true(a, torch.broadcast_tensors(x.detach(), mask)[1])
    return x.masked_select(mask)


def pools():
    """Those that give the indices of the greatest too."""
    functional = torch.nn.functional
    ops = {}
    for name in 'max_pool1d max_pool2d max_pool3d'.split():
        ops[name] = lambda a, x, pool=getattr(functional, name + '_with_indices'): pool(
            x, a['kernel'], a.get('stride', a['kernel']), a.get('padding', 0), return_indices=True)
    for name in 'adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d'.split():
        ops[name] = lambda a, x, pool=getattr(functional, name + '_with_indices'): pool(
            x, a['shape'], return_indices=True)
    return ops


def windowed():
    """Convolutions and pools; a list that is left out stands for the usual numbers."""
    functional = torch.nn.functional
    ops = {}
    for name in 'conv1d conv2d conv3d'.split():
        ops[name] = lambda a, x, weight, convolve=getattr(functional, name): convolve(
            x, weight, None, a.get('stride', 1), a.get('padding', 0), a.get('dilation', 1), a.get('groups', 1))
    for name in 'avg_pool1d avg_pool2d avg_pool3d'.split():
        ops[name] = lambda a, x, pool=getattr(functional, name): pool(
            x, a['kernel'], a.get('stride', a['kernel']), a.get('padding', 0))
    for name in 'max_pool1d max_pool2d max_pool3d'.split():
        ops[name] = lambda a, x, pool=getattr(functional, name): pool(
            x, a['kernel'], a.get('stride', a['kernel']), a.get('padding', 0))
    for name in 'conv_transpose1d conv_transpose2d conv_transpose3d'.split():
        ops[name] = lambda a, x, weight, convolve=getattr(functional, name): convolve(
            x, weight, None, a.get('stride', 1), a.get('padding', 0), a.get('output_padding', 0), a.get('groups', 1),
            a.get('dilation', 1))
    for name in 'adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d'.split():
        ops[name] = lambda a, x, pool=getattr(functional, name): pool(x, a['shape'])
    both = pools()
    ops |= calls.item(0, {op: pool for op, pool in both.items() if op not in ops})
    ops |= calls.item(1, {op: both[op.removesuffix('_indices')] for op in '''
        max_pool1d_indices max_pool2d_indices max_pool3d_indices
        adaptive_max_pool1d_indices adaptive_max_pool2d_indices adaptive_max_pool3d_indices'''.split()})
    for name in 'upsample_nearest1d upsample_nearest2d upsample_nearest3d'.split():
        ops[name] = lambda a, x: upsample(a, x, 'nearest')
    for name in 'upsample_linear1d upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d'.split():
        mode = name[len('upsample_'):-2]
        ops[name] = lambda a, x, mode=mode: upsample(a, x, mode, align_corners=a.get('align_corners', False))
    return ops


def upsample(a, x, mode, **corners):
    """Of samples; of one alone too."""
    alone = x.ndim == len(a['shape']) + 1
    y = torch.nn.functional.interpolate(x[None] if alone else x, size=a['shape'], mode=mode, **corners)
    return y[0] if alone else y


def attention(a, q, k, v):
    """Step by step: the fused kernels have no second derivatives."""
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=a.get('causal', False))


def networks():
    """Weights and biases may be left out of linear layers and norms."""
    def factors(a, x):
        return torch.tensor(dropout.factors(a, x.numel()), dtype=x.dtype).reshape(x.shape)

    return {
        'einsum': lambda a, *x: torch.einsum(a['equation'], *x).clone(memory_format=torch.contiguous_format),
        'linear': lambda a, *x: torch.nn.functional.linear(*x), 'scaled_dot_product_attention': attention,
        'layer_norm': lambda a, x, *beside: torch.layer_norm(x, x.shape[x.dim() - a['count']:], *beside, eps=a['eps']),
        'group_norm': lambda a, x, *beside: torch.group_norm(x, a.get('groups', 1), *beside, eps=a['eps']),
        'batch_norm': lambda a, x, w=None, b=None: torch.batch_norm(x, w, b, None, None, True, 0, a['eps'], False),
        # By a generator of its own PyTorch would drop others.
        'dropout': lambda a, x: x * factors(a, x)}


def squares():
    return {
        'inverse': lambda a, x: torch.linalg.inv(x), 'det': lambda a, x: torch.linalg.det(x),
        'solve_triangular': lambda a, x, y: torch.linalg.solve_triangular(x, y, upper=a.get('upper', False)),
        # PyTorch gives half of the gradient to each triangle, as if the other one counted too.
        'cholesky': lambda a, x: torch.linalg.cholesky(x.tril() + x.tril(-1).mT)}


def elements(tensor, rows):
    """What data() returns, of nested lists."""
    flat = [rows]
    for _ in tensor.shape:
        flat = [element for row in flat for element in row]
    return NAMES[tensor.dtype], list(tensor.shape), flat


class Torch(core.Engine):
    OPS = calls.table(
        torch, plain='''neg exp log sqrt sin cos tanh sigmoid relu abs sgn
        tan asin acos atan sinh cosh asinh acosh atanh erf erfc expm1 log1p log2 log10 exp2 rsqrt
        reciprocal square selu sinc
        add sub mul div maximum minimum logaddexp atan2 xlogy fmod remainder t matmul addmm where addcmul addcdiv lerp bmm dot outer
        addmv addr baddbmm addbmm''',
        swap='transpose', dims='flip permute', listed='cat stack',
        dim='cumsum cumprod logcumsumexp softmax log_softmax index_select gather scatter_add index_add unsqueeze',
        reduce='sum mean amax amin', over='logsumexp', each='prod')
    # Not copy_ and zero_: zeros flow into the history of what they overwrite.
    OPS |= calls.table(torch.Tensor, shape='expand', plain='''detach retain_grad add_ sub_ mul_ div_
        neg_ exp_ sqrt_ sin_ cos_ tanh_ sigmoid_ relu_ abs_''')
    OPS |= calls.table(
        torch.nn.functional, plain='silu gelu relu6 hardsigmoid',
        loss='mse_loss smooth_l1_loss cross_entropy nll_loss bce_with_logits:binary_cross_entropy_with_logits')
    PAIRS = calls.table(torch, along='max min', sort='sort', dim='cummax cummin') | {'topk': topk} | pools()
    OPS |= calls.item(0, calls.table(torch, along='max min', sort='sort', dim='cummax cummin', top='topk'))
    OPS |= calls.item(1, calls.table(
        torch, along='argmax:max argmin:min', sort='argsort:sort', dim='cummax_indices:cummax cummin_indices:cummin'), torch.detach)
    OPS |= {
        'pow': lambda a, *x: calls.only(torch.is_floating_point, torch.pow)(*x),
        'cast': cast, 'view': view,
        'gelu_tanh': lambda a, x: torch.nn.functional.gelu(x, approximate='tanh'),
        # By default x itself from 20 on, which is 2e-9 too small.
        'softplus': lambda a, x: torch.nn.functional.softplus(x, threshold=40),
        'leaky_relu': lambda a, x: torch.nn.functional.leaky_relu(x, a['by']),
        'celu': lambda a, x: torch.celu(x, a['by']),
        'hardtanh': lambda a, x: torch.nn.functional.hardtanh(x, a['min'], a['max']),
        'elu': lambda a, x: torch.nn.functional.elu(x, a['by']),
        'var': lambda a, x: torch.var(
            x, tuple(a.get('dims', range(x.dim()))), correction=0, keepdim=a.get('keepdim', False)),
        'std': lambda a, x: torch.std(
            x, tuple(a.get('dims', range(x.dim()))), correction=0, keepdim=a.get('keepdim', False)),
        'norm': lambda a, x: torch.linalg.vector_norm(x, 2, a.get('dims'), a.get('keepdim', False)),
        'select_scatter': lambda a, x, y: torch.select_scatter(x, y, a['dim'], a['index']),
        'slice_scatter': lambda a, x, y: torch.slice_scatter(x, y, a['dim'], *calls.span(a)),
        'diagonal_scatter': lambda a, x, y: torch.diagonal_scatter(x, y, int(a.get('by', 0)), *a['dims']),
        'as_strided_scatter': as_strided_scatter,
        'roll': lambda a, x: torch.roll(x, int(a['by']), a['dim']),
        'tril': lambda a, x: torch.tril(x, int(a.get('by', 0))), 'triu': lambda a, x: torch.triu(x, int(a.get('by', 0))),
        'pad': lambda a, x: torch.nn.functional.pad(x, a['pads'], 'constant', a.get('by', 0)),
        'pad_reflect': lambda a, x: torch.nn.functional.pad(x, a['pads'], 'reflect'),
        'pad_replicate': lambda a, x: torch.nn.functional.pad(x, a['pads'], 'replicate'),
        'pad_circular': lambda a, x: torch.nn.functional.pad(x, a['pads'], 'circular'),
        **windowed(), **networks(), **squares(),
        'embedding': lambda a, x, index: torch.nn.functional.embedding(index, x, sparse=a.get('sparse', False)),
        'repeat': lambda a, x: x.repeat(a['shape']),
        'clone': lambda a, x: x.clone(memory_format=torch.contiguous_format),
        'reshape': lambda a, x: x.contiguous().view(a['shape']),
        'masked_fill': lambda a, mask, x: torch.masked_fill(x, mask, a['by']),
        # By brackets an index without dimensions would select a view.
        'index': lambda a, x, *indices: torch.ops.aten.index(x, checked(a, x, *indices)), 'index_put': index_put, 'masked_select': masked_select,
        'scatter_reduce': lambda a, x, index, y: x.scatter_reduce(a['dim'], index, y, a['reduction'], include_self=a.get('include_self', True)),
        'sparse_coo': sparse_coo, 'coalesce': coalesce, 'to_dense': lambda a, x: x.to_dense(),
        'sparse_values': lambda a, x: x.values().clone(), 'sparse_indices': lambda a, x: x.indices().clone(),
        'scatter': scatter, 'index_copy': index_copy, 'alias': lambda a, x: torch.ops.aten.alias(x),
        'diagonal': lambda a, x: torch.diagonal(x, int(a.get('by', 0)), *a['dims']),
        'topk_indices': lambda a, x: topk(a, x.detach())[1], 'as_strided': as_strided, 'unbind': lambda a, x: x.unbind(a['dim']), 'split': lambda a, x: x.split(a['count'], a['dim']),
        'chunk': lambda a, x: x.chunk(a['count'], a['dim']),
        'unfold': lambda a, x: x.unfold(a['dim'], a['count'], a.get('step', 1)),
        'clamp': lambda a, x: torch.clamp(x, a.get('min'), a.get('max')),
        'select': lambda a, x: x.select(a['dim'], a['index']),
        'slice': lambda a, x: torch.ops.aten.slice(x, a['dim'], *calls.span(a)),
        'squeeze': lambda a, x: x.squeeze(a['dims']) if 'dims' in a else x.squeeze(),
        'zero_grad': lambda a, x: setattr(x, 'grad', None),
        'read_grad': lambda a, x: None if x.grad is None else dense_copy(x.grad)}
    OPS |= calls.in_type_of_operand(OPS, 'sum prod cumsum cumprod', torch.Tensor.to)
    HELLO = core.hello('torch', torch.__version__, DTYPES, OPS, facts='errors,accessors')
    ACCESSORS = {word: lambda engine, x, read=read: engine.data(read(elementwise(x))) for word, read in {
        'clone': torch.clone, 'detach': torch.detach, 'contiguous': torch.Tensor.contiguous, 'deepcopy': copy.deepcopy,
        'copy_': lambda x: torch.empty(x.shape, dtype=x.dtype).copy_(x), 'flatten': lambda x: x.flatten().view(x.shape),
        'to': lambda x: x.to(x.dtype, copy=True), 'rows': lambda x: torch.stack(list(x)) if x.dim() and len(x) else x,
    }.items()} | {word: lambda engine, x, read=read: elements(x, read(elementwise(x))) for word, read in {
        'tolist': torch.Tensor.tolist, # numpy has no bf16.
        'numpy': lambda x: (x if x.dtype == torch.bfloat16 else x.numpy()).tolist(),
        'item': lambda x: torch.full(x.shape, x.item(), dtype=x.dtype).tolist() if x.numel() == 1 else x.tolist(),
    }.items()}
    WRITES = True

    def record(self, enabled):
        super().record(enabled)
        torch.set_grad_enabled(enabled)

    def enter(self, kind, a):
        if kind == 'anomaly':
            before = torch.is_anomaly_enabled()
            torch.autograd.set_detect_anomaly(True)
            return lambda: torch.autograd.set_detect_anomaly(before)
        if kind != 'saved_tensor_hooks':
            return super().enter(kind, a)

        def pack(tensor):
            if a['do'] == 'throw':
                raise core.ProgramError('user', 'a pack hook with do=throw was run')
            return tensor.clone()

        def unpack(tensor):
            scales = a['do'] == 'scale' and tensor.is_floating_point()
            return tensor * a.get('by', 1.0) if scales else tensor

        hooks = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
        hooks.__enter__()
        return lambda: hooks.__exit__(None, None, None)

    def leaf(self, name, dtype, shape, data, requires_grad):
        # A clone: what reshape gives may be a view, and writes to it would go through its base.
        tensor = torch.tensor(data, dtype=DTYPES[dtype]).reshape(shape).clone()
        return tensor.requires_grad_(requires_grad)

    def call(self, name, roots, seeds, inputs, a):
        if seeds and any(s is not None and s.dtype != r.dtype for s, r in zip(seeds, roots)):
            raise core.Refused('a seed of another type than its root is converted')
        flags = {key: a[key] for key in ('retain_graph', 'create_graph') if key in a}
        if name == 'backward':
            return torch.autograd.backward(roots, seeds, inputs=inputs, **flags)
        fill, unused = a.get('materialize', False), a.get('allow_unused', False)
        gradients = torch.autograd.grad(
            roots, inputs, seeds, **flags, materialize_grads=fill, allow_unused=fill or unused)
        given = {id(tensor) for tensor in [*roots, *(seeds or ())]}

        def of_its_own(g):
            """A dense variable of its own, whatever it shares with a seed, another or the graph."""
            materialized = g is not None and g.is_leaf and g.requires_grad and id(g) not in given
            return g if g is None or materialized or g._is_zerotensor() else dense_copy(g)

        return [of_its_own(g) for g in gradients]

    def data(self, tensor):
        shape = list(tensor.shape)
        if tensor.is_sparse:
            tensor = tensor.detach().to_dense()
        if tensor._is_zerotensor():  # without memory
            return NAMES[tensor.dtype], shape, [0.0] * tensor.numel()
        return NAMES[tensor.dtype], shape, tensor.detach().reshape(-1).tolist()

    def copy(self, tensor):
        return dense_copy(tensor.detach())

    def has_elements(self, tensor):
        return not tensor.is_sparse

    def fill(self, tensor, number):
        with torch.no_grad():
            tensor.zero_().add_(number)

    def grad(self, name):
        tensor = self.values[name]
        try:
            tensor.grad_fn
        except RuntimeError:  # a view made in no_grad, whose base was written
            return None
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def error_class(self, error):
        """Refuses what PyTorch has not for a type of storage."""
        text = str(error)
        if LACKS.search(text):
            raise core.Refused(text)
        return next((word for message, word in MESSAGES.items() if message in text), 'internal')


if __name__ == '__main__':
    torch.set_num_threads(1)
    core.serve(Torch)
