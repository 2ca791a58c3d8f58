"""Reads a Program, as an adapter in any language would: no table, no validation, 40 lines.

Each statement comes as (name, results, operands, attributes): names keep their %, arguments are typed.
"""

_FLAGS = {'grad', 'keepdim', 'retain_graph', 'create_graph', 'allow_unused', 'materialize', 'descending',
          'align_corners', 'causal', 'upper', 'accumulate', 'include_self',
          'sparse'}
_INTEGERS = {'seed', 'dim', 'index', 'start', 'stop', 'step', 'count', 'at', 'groups'}
_NUMBERS = {'by', 'min', 'max', 'eps'}


def element(text, dtype):
    if dtype in ('i32', 'i64', 'bool'):
        return int(text)
    return float.fromhex(text) if 'x' in text else float(text)


def argument(key, text, dtype):
    if key == 'type':
        dtype, sizes = text[:-1].split('[')
        return dtype, [int(size) for size in sizes.split(',') if size]
    if key in ('data', 'fill'):
        return [element(e, dtype) for e in text.split(',')]
    if key in ('dims', 'shape', 'pads', 'kernel', 'stride', 'padding', 'dilation',
               'output_padding'):
        return [] if text == 'scalar' else [int(n) for n in text.split(',')]
    if key in ('seeds', 'inputs'):
        return [] if text == 'none' else text.split(',')
    if key in _FLAGS:
        return text == '1'
    return int(text) if key in _INTEGERS else element(text, 'f64') if key in _NUMBERS else text


def read(program):
    header, *lines = [line for line in program.splitlines() if line and line[0] != '#']
    if header != 'twingrad 1':
        raise ValueError('not a Program of version 1: ' + header)
    for line in lines:
        results, tokens, dtype = [], line.split(' '), 'f64'
        if line[0] == '%':
            results, tokens = tokens[0].split(','), tokens[2:]
        operands = [token for token in tokens[1:] if token[0] == '%']
        attributes = {}
        for key, text in (token.split('=', 1) for token in tokens[1 + len(operands):]):
            attributes[key] = argument(key, text, dtype)
            dtype = attributes[key][0] if key == 'type' else dtype
        yield tokens[0], results, operands, attributes
