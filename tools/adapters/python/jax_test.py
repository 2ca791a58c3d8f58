"""JAX runs Programs as the rules say; needs the package `jax`."""

import importlib.util
import unittest

from tools.adapters.python import core, examples

JAX = importlib.util.find_spec('jax') is not None
if JAX:
    from tools.adapters.python import jax_adapter

HEAD = 'twingrad 1\n%x = leaf type=f64[2] data=3,-0.5 grad=1\n'


@unittest.skipUnless(JAX, 'the package jax is not installed: pip install jax')
class JaxTest(unittest.TestCase):
    def lines(self, program):
        return core.run(jax_adapter.Jax, HEAD + program).splitlines()

    def refused(self, program):
        with self.assertRaises(core.Refused) as raised:
            self.lines(program)
        return str(raised.exception)

    def test_gradients_of_leaves_and_values_between(self):
        lines = self.lines('%z = leaf type=f64[] data=1 grad=1\n%y = mul %x %x\n%s = sum %y\nbackward %s retain_graph=1\n'
                           'backward %s retain_graph=1\n%g,%h,%n = grad %s inputs=%x,%y,%z allow_unused=1\n')
        self.assertIn('grad %x type=f64[2] data=12,-2', lines)
        self.assertIn('value %g type=f64[2] data=6,-1', lines)
        self.assertIn('value %h type=f64[2] data=1,1', lines)
        self.assertFalse([line for line in lines if line.startswith(('value %n', 'grad %z'))], lines)

    def test_parts(self):
        lines = self.lines('%a,%b = unbind %x dim=0\n%c,%d = split %x dim=0 count=1\n%e,%f = chunk %x dim=0 count=2\n'
                           '%p = mul %a %b\n%q = mul %c %c\n%r = mul %f %f\nbackward %p\nbackward %q\nbackward %r\n')
        self.assertIn('value %b type=f64[] data=-0.5', lines)
        self.assertIn('grad %x type=f64[2] data=5.5,2', lines)

    def test_networks(self):
        lines = self.lines(examples.NETWORKS)
        for line in examples.NETWORKS_SHOW:
            self.assertIn(line, lines)

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

    def test_strides(self):
        lines = self.lines('%a = as_strided %x shape=2,2 stride=1,0\n%s = sum %a\nbackward %s\n')
        self.assertIn('value %a type=f64[2,2] data=3,3,-0.5,-0.5', lines)
        self.assertIn('grad %x type=f64[2] data=2,2', lines)

    def test_what_is_picked_in_some_order(self):
        lines = self.lines('%a = topk %x dim=0 count=1\n%c = cummin %x dim=0\n%s = sum %c\nbackward %s\nbackward %a\n')
        for line in ('value %a type=f64[1] data=3', 'value %c type=f64[2] data=3,-0.5', 'grad %x type=f64[2] data=2,1'):
            self.assertIn(line, lines)

    def test_a_value_asked_for_once_keeps_its_gradients(self):
        lines = self.lines('%y = neg %x\n%s = sum %y\nbackward %s inputs=%y retain_graph=1\nbackward %s\n')
        self.assertIn('grad %y type=f64[2] data=2,2', lines)
        self.assertIn('grad %x type=f64[2] data=-1,-1', lines)
        # Even if no root reached it then.
        lines = self.lines('%y = neg %x\n%s = sum %x\nbackward %s inputs=%y\nbackward %y seeds=%x\n')
        self.assertIn('grad %y type=f64[2] data=3,-0.5', lines)

    def test_seeds_of_one_root_are_added_before_they_go_on(self):
        lines = self.lines('%y = leaf type=f64[] data=0.7 grad=1\n%z = mul %y %y\n%t = leaf type=f64[] data=-3\n'
                           'backward %z %z seeds=%t,_\n')
        self.assertIn('grad %y type=f64[] data=-2.8', lines)

    def test_second_order_through_grad_and_through_read_grad(self):
        lines = self.lines('%y = mul %x %x\n%c = mul %y %x\n%s = sum %c\n%g = grad %s inputs=%x create_graph=1\n'
                           'backward %s create_graph=1\n%r = read_grad %x\n%t = sum %r\n%u = sum %g\n'
                           '%h = grad %t inputs=%x retain_graph=1\n%k = grad %u inputs=%y\n')
        self.assertIn('value %g type=f64[2] data=27,0.75', lines)
        self.assertIn('grad %x type=f64[2] data=27,0.75', lines)
        self.assertIn('value %h type=f64[2] data=18,-3', lines)
        # x in y * x is held, y is x * x: d/dy of (y + 2 x x) with x fixed.
        self.assertIn('value %k type=f64[2] data=1,1', lines)

    def test_no_history_in_no_grad_and_behind_detach(self):
        lines = self.lines('begin kind=no_grad\n%y = mul %x %x\nend\n%d = detach %x\n%p = mul %x %d\n%q = mul %p %y\n'
                           '%s = sum %q\nbackward %s\n')
        self.assertIn('grad %x type=f64[2] data=27,-0.125', lines)

    def test_what_cannot_be_computed_is_refused(self):
        self.assertEqual(self.refused('backward %x\n'), 'a seed that does not fit')
        self.assertEqual(self.refused('%d = detach %x\nbackward %d seeds=%d\n'), 'a root or input without gradients')
        self.assertEqual(self.refused('%z = leaf type=f64[] grad=1\n%s = sum %x\n%g = grad %s inputs=%z\n'),
                         'an unused input')

    def test_no_graph_is_freed_and_gradients_of_constants_are_zeros(self):
        self.assertEqual(jax_adapter.Jax.HELLO['raises'], 'index')
        twice = self.lines('%y = mul %x %x\n%s = sum %y\nbackward %s\nbackward %s\n')
        self.assertIn('grad %x type=f64[2] data=12,-2', twice)
        constant = self.lines('%s = sum %x\n%g = grad %s inputs=%x create_graph=1\n%t = sum %g\n'
                              '%h = grad %t inputs=%x\n')
        self.assertIn('value %h type=f64[2] data=0,0', constant)
        # d/dx and d/dz of the sum of d/dx (x z), at z = 0: x has none.
        product = self.lines('%z = leaf type=f64[2] data=0,0 grad=1\n%y = mul %x %z\n%s = sum %y\n'
                             '%g = grad %s inputs=%x create_graph=1\n%t = sum %g\n%h,%k = grad %t inputs=%z,%x\n')
        self.assertIn('value %h type=f64[2] data=1,1', product)
        self.assertIn('value %k type=f64[2] data=0,0', product)

    def test_statements_that_it_has_no_notion_of_are_refused(self):
        self.assertEqual(self.refused('neg_ %x\n'), 'neg_')
        self.assertEqual(self.refused('hook %x do=record\n'), 'hook')

    def test_an_index_out_of_range_is_an_error(self):
        lines = self.lines('%i = leaf type=i64[1] data=2\n%y = index_select %x %i dim=0\n')
        self.assertEqual(lines[-1], 'error index 2 an index out of range')


if __name__ == '__main__':
    unittest.main()
