"""Links between rules and what shows them: each kind of broken link, and what --fix writes."""

import unittest

from tools.tidy import semantics

_GOLDEN = 'golden/programs/calls/calls-0001.twin'
_TEST = 'autograd/engine/call_test.cc'
_PAGE = 'autograd/semantics/a_calls.md'


def _tree(**changes):
    texts = {
        _PAGE: '| A1 | done | One root. | [calls-0001](../../golden/programs/calls/calls-0001.twin), '
               '[CallTest.One](../engine/call_test.cc) |\n',
        _GOLDEN: '# id: calls-0001\n# origin: autograd semantics, row A1\ntwingrad 1\n',
        _TEST: '// What it is.\n// Rules: A1.\nTEST(CallTest, One) {}\n',
        'proptests/mutants/lost_hook.patch': '',
        'autograd/reference/dialect.h': '// One root (A1).\n',
    }
    texts.update({{'page': _PAGE, 'golden': _GOLDEN, 'test': _TEST,
                   'dialect': 'autograd/reference/dialect.h', 'readme': 'autograd/semantics/README.md'}[name]: text
                  for name, text in changes.items()})
    return texts


class SemanticsTest(unittest.TestCase):

    def _refused(self, part, **changes):
        messages = [finding.message for finding in semantics.check_semantics(_tree(**changes))]
        self.assertEqual(len(messages), 1, messages)
        self.assertIn(part, messages[0])

    def test_a_tree_whose_links_hold(self):
        self.assertEqual(list(semantics.check_semantics(_tree())), [])

    def test_states(self):
        self._refused('is none of', page='| A1 | nearly | One root. | [calls-0001](../../' + _GOLDEN + '), '
                      '[CallTest.One](../engine/call_test.cc) |\n')
        self._refused('nothing shows it', page='| A1 | done | One root. | |\n', test='', golden='')
        self._refused('what is missing', page='| A1 | part | One root. | |\n', test='', golden='')
        for state, rule in (('not yet', 'One root.'), ('n/a', 'No roots.'), ('part', 'One. Not yet: two.')):
            page = f'| A1 | {state} | {rule} | |\n'
            self.assertEqual(list(semantics.check_semantics(_tree(page=page, test='', golden=''))), [])

    def test_what_shows_a_rule_exists_and_is_linked(self):
        page = _tree()[_PAGE]
        self._refused('does not exist', page=page.replace(' |\n', ', [CallTest.Two](../engine/call_test.cc) |\n'))
        self._refused('is linked to', page=page.replace('(../engine/', '(../graph/'))
        self._refused('is linked to', page=page.replace(' |\n', ', lost_hook |\n'))

    def test_links_lead_back(self):
        page = _tree()[_PAGE]
        self._refused('does not name it', page='| A1 | done | One root. | [CallTest.One](../engine/call_test.cc) |\n')
        self._refused('does not say so', test='TEST(CallTest, One) {}\n')
        self._refused('does not name it', page=page, test='// Rules: A1.\nTEST(CallTest, One) {}\n\n'
                      '// Rules: A1.\nTEST_F(CallTest, Two) {}\n')

    def test_citations_exist(self):
        for text in ('// As (A2) says.\n', '// See rule A2.\n', '// See rows A1 and A2.\n', '// (A1, A2)\n'):
            with self.subTest(text):
                self._refused('there is no rule A2', dialect=text)
        for text in ('// As (A1) says.\n', '// B2B, f(B1, C2), M0,0\n'):
            with self.subTest(text):
                self.assertEqual(list(semantics.check_semantics(_tree(dialect=text))), [])

    def test_ids_are_unique(self):
        page = _tree()[_PAGE]
        self._refused('is defined in', page=page + page)

    def test_departures_are_listed(self):
        page = _tree()[_PAGE].replace('One root.', 'One root. **Departs from PyTorch**: two would be wrong.')
        self._refused('not listed', page=page)
        self.assertEqual(list(semantics.check_semantics(_tree(page=page, readme='| A1 | one | two |\n'))), [])
        self._refused('does not depart', readme='| A1 | one | two |\n')

    def test_fix_writes_links_and_comments(self):
        broken = _tree(page='| A1 | done | One root. | calls-0001, [CallTest.One](gone.cc) |\n| A2 | n/a | None. | |\n',
                       test='// What it is.\n// Rules: B7.\nTEST(CallTest, One) {}\n\nTEST(CallTest, Two) {}\n')
        fixed = {**broken, **semantics.fix(broken)}
        self.assertEqual(fixed[_PAGE], _tree()[_PAGE] + '| A2 | n/a | None. | |\n')
        self.assertEqual(fixed[_TEST], _tree()[_TEST] + '\nTEST(CallTest, Two) {}\n')
        self.assertEqual(semantics.fix(fixed), {})


if __name__ == '__main__':
    unittest.main()
