"""The cases of the benchmark: what is run, at which sizes, and what its figures count. Their graphs are in hand_built.h,
recorded.h, dense.h, networks.h and training.h."""

import dataclasses

NODES = (1_000, 10_000, 100_000, 1_000_000)
ELEMENTS = (1_000, 100_000, 10_000_000)


@dataclasses.dataclass(frozen=True)
class Case:
    """One case. Figures are divided by the size, and by `scale`, unless they are of a whole step."""
    name: str
    title: str
    sizes: tuple
    unit: str = 'ns a node'
    fresh: bool = False  # each run in a process of its own

    def scaled(self, value, size):
        return value / 1_000 if self.unit == 'us a step' else value / size


def _dense():
    return [Case(f'{name}{layout}', f'{name}{layout}', ELEMENTS, 'ns an element')
            for name in ('add', 'mul', 'exp', 'tanh', 'sum') for layout in ('', '-broadcast', '-transposed')]


NETWORKS = (
    Case('linear', 'linear', (16, 64, 256, 1024), 'us a step'),
    Case('attention', 'attention', (16, 64, 256), 'us a step'),
    Case('attention-causal', 'causal attention', (16, 64, 256), 'us a step'),
    Case('einsum', 'einsum', (16, 64, 256), 'us a step'),
    Case('layer-norm', 'layer_norm', (16, 256, 4096), 'us a step'),
    Case('group-norm', 'group_norm', (4, 16, 64), 'us a step'),
    Case('batch-norm', 'batch_norm', (4, 16, 64), 'us a step'),
    Case('conv2d', 'conv2d', (4, 16, 64), 'us a step'),
    Case('max-pool', 'max_pool2d', (4, 16, 64), 'us a step'),
    Case('avg-pool', 'avg_pool2d', (4, 16, 64), 'us a step'),
    Case('upsample-nearest', 'upsample_nearest2d', (4, 16, 64), 'us a step'),
    Case('upsample-bilinear', 'upsample_bilinear2d', (4, 16, 64), 'us a step'),
)
TRAINING = (
    Case('train-mlp', 'training step of an mlp', (64, 256, 1024), 'us a step'),
    Case('train-cnn', 'training step of a cnn', (8, 32), 'us a step'),
)
# Which fill a GPU.
TRAINING_ON_GPU = (
    dataclasses.replace(TRAINING[0], sizes=(64, 256, 1024, 4096)),
    dataclasses.replace(TRAINING[1], sizes=(8, 32, 128)),
)

CASES = (
    Case('chain', 'chain', NODES),
    Case('ladder', 'ladder', NODES),
    Case('fan', 'fan', NODES),
    Case('dag', 'random dag', NODES),
    Case('scalars', 'y = y * w', NODES),
    Case('hooks', 'a hook a node', NODES[:3]),
    Case('half', 'grad of half', NODES[:3]),
    Case('second-order', 'grad of grad', NODES[:3]),
    Case('views', 'y = transpose(y)', NODES[:3]),
    Case('in-place', 'y += w', NODES[:3]),
    Case('bytes', 'y = y * w', (1_000_000,), 'bytes a step', fresh=True),
    Case('mlp', 'mlp', (16, 64, 256, 1024), 'us a step'),
    *NETWORKS,
    *TRAINING,
    *_dense(),
)


def chosen(names, beside=(), of=CASES):
    """The cases of these names, all for none; a ValueError names what is unknown, and with the cases those beside."""
    unknown = sorted(set(names) - {case.name for case in of})
    if unknown:
        raise ValueError(f'[bench] no case is called {", ".join(unknown)}; there are '
                         f'{", ".join([*(case.name for case in of), *beside])}; try --cases={of[0].name}')
    return [case for case in of if not names or case.name in names]
