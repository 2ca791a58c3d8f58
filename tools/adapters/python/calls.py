"""How the attributes of an op become the arguments of an engine's function, for tables of ops.

    OPS = calls.table(torch, plain='add sub', dim='cumsum gather', reduce='sum amax')
    OPS = calls.table(jnp, names=('axis', 'keepdims'), plain='sub:subtract', reduce='sum amax:max')

gives each op the function of its name, or of the name after the colon, called as the word says.
"""

from tools.adapters.python import core


def _over(function, dim, keepdim):
    """Over dims=, or over all of them."""
    def reduce(a, x):
        dims = tuple(a.get('dims', range(x.ndim)))
        return function(x, **{dim: dims, keepdim: a.get('keepdim', False)})
    return reduce


def _reduce(function, dim, keepdim):
    """The same, for functions that reduce to a scalar when given nothing."""
    over = _over(function, dim, keepdim)
    return lambda a, x: over(a, x) if 'dims' in a or a.get('keepdim') else function(x)


def _each(function, dim, keepdim):
    """The same, for functions of one dimension: one after another, from the last."""
    def reduce(a, x):
        if 'dims' not in a and not (a.get('keepdim') and x.ndim):
            return function(x)
        for d in sorted(a.get('dims', range(x.ndim)), reverse=True):
            x = function(x, **{dim: d, keepdim: a.get('keepdim', False)})
        return x
    return reduce


def only(condition, function):
    """The function; operands of which the first does not fulfil the condition are refused."""
    def call(x, *more):
        if not condition(x):
            raise core.Refused('an operand of this type')
        return function(x, *more)
    return call


def in_type_of_operand(ops, names, convert):
    """These ops; a result of another type than the operand, as sums of short integers have, is converted."""
    def converted(function):
        def call(a, x):
            y = function(a, x)
            return y if y.dtype == x.dtype else convert(y, x.dtype)
        return call
    return {name: converted(ops[name]) for name in names.split()}


def span(a):
    """The arguments of a slice."""
    return a.get('start', 0), a.get('stop'), a.get('step', 1)


# The attributes and operands of an op -> its function called.
_CALLS = {
    'plain': lambda f: lambda a, *x: f(*x),
    'dim': lambda f: lambda a, x, *more: f(x, a['dim'], *more),
    'dims': lambda f: lambda a, x: f(x, tuple(a.get('dims', ()))),
    'swap': lambda f: lambda a, x: f(x, *a['dims']),
    'shape': lambda f: lambda a, x: f(x, a['shape']),
    'listed': lambda f: lambda a, *x: f(x, a['dim']),
    'loss': lambda f: lambda a, x, y: f(x, y, reduction=a.get('reduction', 'mean')),
}


def table(module, names=('dim', 'keepdim'), **ops):
    """Name of an op -> function of attributes and operands. `names`: the module's two keywords."""
    dim, keepdim = names
    kinds = _CALLS | {
        'over': lambda f: _over(f, dim, keepdim),
        'reduce': lambda f: _reduce(f, dim, keepdim),
        'each': lambda f: _each(f, dim, keepdim),
        'along': lambda f: lambda a, x: f(x, **{dim: a['dim'], keepdim: a.get('keepdim', False)}),
        'top': lambda f: lambda a, x: f(x, a['count'], a['dim']),
        'sort': lambda f: lambda a, x: f(
            x, **{dim: a['dim']}, descending=a.get('descending', False), stable=True),
    }
    made = {}
    for kind, words in ops.items():
        for word in words.split():
            op, _, function = word.partition(':')
            made[op] = kinds[kind](getattr(module, function or op))
    return made


def item(index, calls, before=lambda x: x):
    """The results with that index of functions that give several, called with what `before` makes of the operand."""
    return {op: lambda a, x, call=call: call(a, before(x))[index] for op, call in calls.items()}
