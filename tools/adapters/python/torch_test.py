"""PyTorch runs Programs as the rules say; needs the package `torch`."""

import importlib.util
import unittest
import unittest.mock

from tools.adapters.python import core, examples

TORCH = importlib.util.find_spec('torch') is not None
if TORCH:
    from tools.adapters.python import torch_adapter

HEAD = 'twingrad 1\n%x = leaf type=f64[2] data=3,-0.5 grad=1\n'


@unittest.skipUnless(TORCH, 'the package torch is not installed: pip install torch')
class TorchTest(unittest.TestCase):
    def lines(self, program):
        return core.run(torch_adapter.Torch, HEAD + program).splitlines()

    def test_gradients(self):
        lines = self.lines('%y = mul %x %x\nretain_grad %y\n%s = sum %y\nbackward %s\n')
        self.assertIn('grad %x type=f64[2] data=6,-1', lines)
        self.assertIn('grad %y type=f64[2] data=1,1', lines)

    def test_parts(self):
        lines = self.lines('%a,%b = unbind %x dim=0\n%c,%d = split %x dim=0 count=1\n%e,%f = chunk %x dim=0 count=2\n'
                           '%p = mul %a %b\n%q = mul %c %c\n%r = mul %f %f\nbackward %p %q %r\n')
        self.assertIn('value %b type=f64[] data=-0.5', lines)
        self.assertIn('grad %x type=f64[2] data=5.5,2', lines)
        head = '%y = clone %x\n%a,%b = unbind %y dim=0\n'
        self.assertIn('error invalid_argument 3 ', self.lines(head + 'neg_ %a\n')[-1])
        self.assertIn('error invalid_argument 4 ', self.lines(head + 'neg_ %y\n%z = neg %b\n')[-1])

    def test_networks(self):
        lines = self.lines(examples.NETWORKS)
        for line in examples.NETWORKS_SHOW:
            self.assertIn(line, lines)

    def test_types_that_an_op_has_not_are_refused(self):
        for dtype, op in ('bf16', 'inverse'), ('f16', 'cholesky'), ('bf16', 'solve_triangular %n'):
            head = f'%n = leaf type={dtype}[1,1] data=1\n'
            with self.assertRaises(core.Refused):
                self.lines(f'{head}%r = {op} %n\n')

    def test_what_is_put_in_place_of_views(self):
        lines = self.lines(examples.PUT)
        for line in examples.PUT_SHOW:
            self.assertIn(line, lines)

    def test_sums_of_products(self):
        lines = self.lines(examples.EINSUMS)
        for line in examples.EINSUMS_SHOW:
            self.assertIn(line, lines)

    def test_indices_and_masks(self):
        lines = self.lines(examples.INDEXED)
        for line in examples.INDEXED_SHOW:
            self.assertIn(line, lines)
        lines = self.lines(examples.SPARSE)
        for line in examples.SPARSE_SHOW:
            self.assertTrue(any(shown.startswith(line) for shown in lines), (line, lines))

    def test_values_come_with_their_indices(self):
        lines = self.lines(examples.PAIRED)
        for line in examples.PAIRED_SHOW:
            self.assertTrue(any(shown.startswith(line) for shown in lines), (line, lines))

    def test_squares(self):
        lines = self.lines(examples.SQUARES)
        for line in examples.SQUARES_SHOW:
            self.assertIn(line, lines)
        head = '%n = leaf type=f64[2,2] data=1,2,2,4\n%m = leaf type=f64[2,2] data=1,2,2,1\n'
        self.assertIn('error domain', self.lines(head + '%j = inverse %n\n')[-1])
        self.assertIn('error domain', self.lines(head + '%j = cholesky %m\n')[-1])

    def test_strides(self):
        lines = self.lines('%y = clone %x\n%a = as_strided %y shape=2,2 stride=1,0\n%s = sum %a\nbackward %s\n')
        self.assertIn('value %a type=f64[2,2] data=3,3,-0.5,-0.5', lines)
        self.assertIn('grad %x type=f64[2] data=2,2', lines)

    def test_what_is_picked_in_some_order(self):
        lines = self.lines('%a = topk %x dim=0 count=1\n%b = topk_indices %x dim=0 count=2\n%c = cummin %x dim=0\n'
                           '%d = cummin_indices %x dim=0\n%s = sum %c\nbackward %s\n')
        for line in ('value %a type=f64[1] data=3', 'value %b type=i64[2] data=0,1', 'value %c type=f64[2] data=3,-0.5',
                     'value %d type=i64[2] data=0,1', 'grad %x type=f64[2] data=1,1'):
            self.assertIn(line, lines)
        with self.assertRaisesRegex(core.Refused, 'equal'):
            self.lines('%y = leaf type=f64[2] data=1,1\n%b = topk_indices %y dim=0 count=2\n')

    def test_errors_have_classes(self):
        self.assertIn('error freed 4 ', self.lines('%y = mul %x %x\n%s = sum %y\nbackward %s\nbackward %s\n')[-1] + ' ')
        self.assertIn('error implicit_seed 1 ', self.lines('backward %x\n')[-1])
        self.assertIn('error leaf_in_place 1 ', self.lines('neg_ %x\n')[-1])
        self.assertIn('error index 2 ', self.lines('%i = leaf type=i64[1] data=2\n%y = index_select %x %i dim=0\n')[-1])

    def test_a_seed_that_does_not_fit_is_one_of_shape_whatever_stands_beside_it(self):
        roots = '%z = leaf type=f64[3] data=1,2,3 grad=1\n%s = sum %x\n'
        for call in ('backward %s seeds=%x', 'backward %s %x seeds=_,%s', 'backward %s %x seeds=%s,%z',
                     'backward %x %z seeds=%x,%x', '%g = grad %s %x seeds=_,%s inputs=%x'):
            self.assertIn('error shape 3 ', self.lines(roots + call + '\n')[-1] + ' ', call)

    def test_a_gradient_that_is_the_seed_is_a_value_of_its_own(self):
        lines = self.lines('%g = grad %x seeds=%x inputs=%x\n%s = sum %x\nbackward %s\n')
        self.assertIn('grad %x type=f64[2] data=1,1', lines)
        self.assertFalse([line for line in lines if line.startswith('grad %g')], lines)

    def test_an_unused_gradient_beside_an_implicit_seed_is_undefined(self):
        lines = self.lines('%z = leaf type=f64[] data=1 grad=1\n%s = sum %x\n%t = sum %x\n'
                           '%g,%h = grad %s %t seeds=%s,_ inputs=%z,%x allow_unused=1\n')
        self.assertFalse([line for line in lines if line.startswith(('value %g', 'error'))], lines)
        self.assertIn('value %h type=f64[2] data=3.5,3.5', lines)

    def test_a_materialized_gradient_is_a_leaf(self):
        lines = self.lines('%z = leaf type=f64[] data=1 grad=1\n%s = sum %x\n'
                           '%g = grad %s inputs=%z create_graph=1 materialize=1\nneg_ %g\n')
        self.assertIn('error leaf_in_place 4 ', lines[-1])

    def test_gradients_read_the_same_by_every_accessor_and_each_that_does_not_is_told(self):
        program = '%y = mul %x %x\n%g = grad %y seeds=%x inputs=%x retain_graph=1\n%s = sum %y\nbackward %s\n'
        self.assertFalse([line for line in self.lines(program) if line.startswith('accessor')])
        for word, right in torch_adapter.Torch.ACCESSORS.items():
            def wrong(engine, tensor, right=right):
                dtype, shape, elements = right(engine, tensor)
                return dtype, shape, [element + 1 for element in elements]

            with unittest.mock.patch.dict(torch_adapter.Torch.ACCESSORS, {word: wrong}):
                self.assertIn(f'accessor %x of=grad by={word} type=f64[2] data=7,0', self.lines(program))

    def test_a_write_into_a_grad_that_is_the_seed_is_told(self):
        self.assertIn('accessor %z of=value by=after_writes type=f64[2] data=1,1',
                      self.lines('%y = view %x shape=2\n%z = leaf type=f64[2] data=5,6\nbackward %y seeds=%z\n'))

    def test_indices_are_given_of_a_view_whose_gradient_is_refused(self):
        view = 'begin kind=no_grad\n%v = slice %x dim=0\nneg_ %x\nend\n'
        for op in ('argmax', 'argsort'):
            self.assertIn('value %i type=i64', self.lines(f'{view}%i = {op} %v dim=0\n')[-1])
        self.assertIn('error invalid_argument 5 ', self.lines(view + '%m = max %v dim=0\n')[-1])

    def test_a_write_to_indices_is_one_to_what_is_saved(self):
        program = '%v,%i = cummax %x dim=0\n%s = sum %v\nneg_ %i\nbackward %s\n'
        self.assertTrue(any(line.startswith('error version') for line in self.lines(program)))

    def test_no_grad_ends_with_its_program(self):
        self.lines('begin kind=no_grad\nneg_ %x\nbackward %x\nend\n')
        self.assertIn('grad %x type=f64[2] data=1,1', self.lines('%s = sum %x\nbackward %s\n'))

    def test_anomaly_mode_finds_nan_and_ends_with_its_region(self):
        loss = '%z = leaf type=f64[] data=0 grad=1\n%r = sqrt %z\n%m = mul %r %z\n'
        lines = self.lines(loss + 'begin kind=try\nbegin kind=anomaly\nbackward %m retain_graph=1\nend\nend\n'
                           'backward %m retain_graph=1\n')
        self.assertTrue(any(line.startswith('survived anomaly ') for line in lines), lines)
        self.assertFalse([line for line in lines if line.startswith('error')], lines)

    def test_every_op_of_the_hello_is_known(self):
        ops = torch_adapter.Torch.HELLO['ops'].split(',')
        self.assertGreaterEqual(len(ops), 70)
        self.assertEqual(len(ops), len(set(ops)))


if __name__ == '__main__':
    unittest.main()
