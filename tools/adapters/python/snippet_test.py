"""Snippets are Python, statement by statement."""

import unittest

from tools.adapters.python import snippet

PROGRAM = '''twingrad 1
%x = leaf type=f64[2] data=3,nan grad=1
%i = leaf type=i64[] data=7
%y = mul %x %x
%v = slice %y dim=0 start=1
begin kind=no_grad
neg_ %v
end
%s = sum %y dims=0 keepdim=1
retain_grad %s
%c = cast %i to=f32
backward %s seeds=_ inputs=%x retain_graph=1
%g,%h = grad %s inputs=%x,%y allow_unused=1
%k = grad %s inputs=%x materialize=1
expect %x kind=undefined_grad
'''

SCRIPT = '''import torch
x = torch.tensor([3.0, float('nan')], dtype=torch.float64).reshape([2]).requires_grad_()
i = torch.tensor([7], dtype=torch.int64).reshape([])
y = x * x
v = y[1::1]
with torch.no_grad():
    v.neg_()
s = y.sum(dim=[0], keepdim=True)
s.retain_grad()
c = i.to(torch.float32, copy=True)
torch.autograd.backward([s], grad_tensors=[None], inputs=[x], retain_graph=True)
g, h = torch.autograd.grad([s], [x, y], allow_unused=True)
k, = torch.autograd.grad([s], [x], materialize_grads=True)
print('x', x.grad)
'''


class SnippetTest(unittest.TestCase):
    def test_each_statement_has_its_line(self):
        self.assertEqual(snippet.snippet(PROGRAM), SCRIPT)
        compile(SCRIPT, 'script', 'exec')

    def test_what_has_no_counterpart_gives_none(self):
        self.assertEqual(snippet.snippet('twingrad 1\n%x = leaf type=f64[]\nhook %x do=record\n'), '')


if __name__ == '__main__':
    unittest.main()
