"""The benchmark's training steps (training.h) in PyTorch's eager mode, as a contestant (contestant.h).

    python3 torch_contestant.py cuda      # or cpu, there on one thread

Products and convolutions of f32 stay f32: TF32 would be other work.
"""

import sys
import time

import torch
from torch.nn import functional

_RATE = 1e-6


def _random(device, *sizes, requires_grad=False):
    return (torch.rand(*sizes, device=device) * 2 - 1).requires_grad_(requires_grad)


def _timed(times, step, device):
    def wait():
        if device == 'cuda':
            torch.cuda.synchronize()
    step()
    wait()
    begin = time.perf_counter_ns()
    for _ in range(times):
        step()
    wait()
    return f'step {(time.perf_counter_ns() - begin) / times}'


def _learn(loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train_mlp(width, device):
    x, goal = _random(device, width, width), _random(device, width, width)
    weights = [_random(device, width, width, requires_grad=True) for _ in range(3)]
    biases = [_random(device, width, requires_grad=True) for _ in range(3)]
    optimizer = torch.optim.SGD([*weights, *biases], _RATE)

    def step():
        h = x
        for i, (weight, bias) in enumerate(zip(weights, biases)):
            h = torch.addmm(bias, h, weight)
            if i < 2:
                h = torch.relu(h)
        off = h - goal
        _learn((off * off).mean(), optimizer)
    return _timed(max(1, 2048 // width), step, device)


def train_cnn(channels, device):
    x = _random(device, 64, 3, 32, 32)
    classes = torch.arange(64, device=device) % 10

    def block(inputs, outputs):
        return [_random(device, *sizes, requires_grad=True) for sizes in ((outputs, inputs, 3, 3), (outputs,), (outputs,))]
    first, second = block(3, channels), block(channels, 2 * channels)
    last = _random(device, 2 * channels * 8 * 8, 10, requires_grad=True)
    bias = _random(device, 10, requires_grad=True)
    optimizer = torch.optim.SGD([*first, *second, last, bias], _RATE)

    def run(h, weights, scale, shift):
        h = functional.batch_norm(functional.conv2d(h, weights, padding=1), None, None, scale, shift, training=True)
        return functional.max_pool2d(torch.relu(h), 2)

    def step():
        h = functional.dropout(run(run(x, *first), *second).flatten(1), 0.2)
        _learn(functional.cross_entropy(torch.addmm(bias, h, last), classes), optimizer)
    return _timed(max(1, 64 // channels), step, device)


_CASES = {'train-mlp': train_mlp, 'train-cnn': train_cnn}


def main(words):
    device = words[0] if words else 'cpu'
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.set_num_threads(1)
    print(f'ready pytorch {torch.__version__.split("+")[0]}', flush=True)
    for line in sys.stdin:
        name, size = line.split()
        try:
            print(_CASES[name](int(size), device) if name in _CASES else 'unknown', flush=True)
        except RuntimeError as error:
            print(f'error {str(error).splitlines()[0]}', flush=True)


if __name__ == '__main__':
    main(sys.argv[1:])
