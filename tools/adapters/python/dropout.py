"""The factors of the statement dropout, which the language fixes: engines draw by generators of their own.

    x * engine_tensor(dropout.factors({'by': 0.5, 'seed': 7}, count))
"""

_MASK = (1 << 32) - 1


def philox(counter, key):
    """Four words of Philox 4x32-10; J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011."""
    a, b, c, d = counter
    k, l = key
    for _ in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = right >> 32 ^ b ^ k, right & _MASK, left >> 32 ^ d ^ l, left & _MASK
        k, l = k + 0x9E3779B9 & _MASK, l + 0xBB67AE85 & _MASK
    return a, b, c, d


def factors(attributes, count):
    """0 or 1 / (1 - by=) for each of so many elements in row-major order."""
    by, seed = attributes['by'], attributes['seed'] % (1 << 64)
    words = []
    for block in range(-(-count // 4)):
        words += philox((block & _MASK, block >> 32, 0, 0), (seed & _MASK, seed >> 32))
    return [0.0 if word < by * 2.0 ** 32 else 1 / (1 - by) for word in words[:count]]
