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
%e = leaf type=f64[2,2] data=1,2,3,4 grad=1
%j = leaf type=i64[2] data=1,0
begin kind=try
neg_ %e
end
%m = max %e dim=0 keepdim=1
%o = argsort %e dim=1 descending=1
%p = prod %e dims=1,0
%q = logsumexp %e
%r = cat %e %e dim=0
%t = index_select %r %j dim=0
%u = clamp %t min=0 max=inf
%w = flip %u dims=0
%z = cross_entropy %w %j reduction=sum
%aa = softmax %e dim=0
%bb = scatter_add %e %o %aa dim=0
%cc = amax %bb dims=0
%dd,%ee = split %e dim=1 count=1
%ff = unbind %dd dim=1
%ii = as_strided %e shape=2 stride=1
%gg = topk %e dim=1 count=1
%hh = cummax %e dim=0
%ha,%hb = sort %e dim=1
%hc,%hd = min %e dim=0
%jj = linear %e %e %x
%kk = scaled_dot_product_attention %e %e %e causal=1
%ll = layer_norm %e %x %x count=1 eps=0x1p-1
%mm = group_norm %e %x eps=1
%nn = batch_norm %e eps=1
%oo = inverse %e
%pp = det %oo
%qq = solve_triangular %e %oo upper=1
%rr = cholesky %qq
%ss = einsum %e %x equation=ij,j->i
%tt = index %e %o
%uu = index_put %e %x %o accumulate=1
%vv = masked_select %e %m count=2
%ww = scatter_reduce %e %o %aa dim=0 reduction=prod include_self=0
%xa = unsqueeze %j dim=0
%xb = sparse_coo %x %xa shape=3
%xc = coalesce %xb count=2
%xd = to_dense %xb
%xe = sparse_values %xc
%xf = sparse_indices %xc
%xg = embedding %e %j
%xh = embedding %e %j sparse=1
begin kind=anomaly
backward %z
end
expect %x kind=undefined_grad
'''

SCRIPT = '''import functools
import torch
x = torch.tensor([3.0, float('nan')], dtype=torch.float64).reshape([2]).clone().requires_grad_()
i = torch.tensor([7], dtype=torch.int64).reshape([]).clone()
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
e = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64).reshape([2, 2]).clone().requires_grad_()
j = torch.tensor([1, 0], dtype=torch.int64).reshape([2]).clone()
try:
    e.neg_()
except RuntimeError as error:
    print('survived', error)
m = e.max(dim=0, keepdim=True).values
o = e.detach().sort(dim=1, descending=True, stable=True).indices
p = functools.reduce(lambda t, d: t.prod(dim=d), sorted([0, 1], reverse=True), e)
q = e.logsumexp(dim=list(range(e.dim())))
r = torch.cat([e, e], dim=0)
t = r.index_select(0, j)
u = t.clamp(min=0.0, max=float('inf'))
w = u.flip([0])
z = torch.nn.functional.cross_entropy(w, j, reduction='sum')
aa = e.softmax(0)
bb = e.scatter_add(0, o, aa)
cc = bb.amax(dim=[0])
dd, ee, = e.split(1, 1)
ff, = dd.unbind(1)
ii = e.as_strided([2], [1], e.storage_offset() + 0)
gg = e.topk(1, 1).values
hh = e.cummax(0).values
ha, hb = e.sort(dim=1, stable=True)
hc, hd = e.min(dim=0)
jj = torch.nn.functional.linear(e, e, x)
kk = torch.nn.functional.scaled_dot_product_attention(e, e, e, is_causal=True)
ll = torch.layer_norm(e, e.shape[e.dim() - 1:], x, x, 0.5)
mm = torch.group_norm(e, 1, x, None, 1.0)
nn = torch.batch_norm(e, None, None, None, None, True, 0, 1.0, False)
oo = torch.linalg.inv(e)
pp = torch.linalg.det(oo)
qq = torch.linalg.solve_triangular(e, oo, upper=True)
rr = torch.linalg.cholesky(qq.tril() + qq.tril(-1).mT)
ss = torch.einsum('ij,j->i', e, x).clone()
tt = torch.ops.aten.index(e, [o])
uu = e.index_put((o,), x, True)
vv = e.masked_select(m)
ww = e.scatter_reduce(0, o, aa, 'prod', include_self=False)
xa = j.unsqueeze(0)
xb = torch.sparse_coo_tensor(xa.clone(), x.clone(memory_format=torch.contiguous_format), [3])
xc = xb.coalesce()
xd = xb.to_dense()
xe = xc.values()
xf = xc.indices()
xg = torch.nn.functional.embedding(j, e, sparse=False)
xh = torch.nn.functional.embedding(j, e, sparse=True)
with torch.autograd.detect_anomaly():
    torch.autograd.backward([z])
print('x', x.grad)
print('e', e.grad)
'''


class SnippetTest(unittest.TestCase):
    def test_each_statement_has_its_line(self):
        self.assertEqual(snippet.snippet(PROGRAM), SCRIPT)
        compile(SCRIPT, 'script', 'exec')

    def test_what_has_no_counterpart_gives_none(self):
        self.assertEqual(snippet.snippet('twingrad 1\n%x = leaf type=f64[]\nhook %x do=record\n'), '')


if __name__ == '__main__':
    unittest.main()
