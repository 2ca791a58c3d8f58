"""Method: small trees of headers, each with one thing that is followed, skipped or refused."""

import unittest

from tools.install.headers import Foreign, closure


def _closure(**texts):
    """Files as keyword arguments: a_b is the header a/b.h; the root is `root_h`."""
    tree = {name.replace('_', '/') + '.h': text for name, text in texts.items()}
    found, foreign = closure(tree.get, ('root.h',))
    return sorted(found), foreign


class ClosureTest(unittest.TestCase):

    def test_follows_own_headers_once(self) -> None:
        found, foreign = _closure(root='#include "a/b.h"\n#include <vector>\n', a_b='#include "root.h"  // IWYU\n',
                                  a_unused='')
        self.assertEqual(found, ['a/b.h', 'root.h'])
        self.assertEqual(foreign, [])

    def test_refuses_third_parties(self) -> None:
        _, foreign = _closure(root='#include <string_view>\n#include "a/b.h"\n', a_b='\n#include "absl/types/span.h"\n')
        self.assertEqual(foreign, [Foreign('a/b.h', 2, 'absl/types/span.h')])
        _, foreign = _closure(root='#include <Eigen/Core>\n#include <dnnl.hpp>\n')
        self.assertEqual([entry.included for entry in foreign], ['Eigen/Core', 'dnnl.hpp'])

    def test_a_root_that_is_missing(self) -> None:
        self.assertEqual(_closure(), ([], [Foreign('root.h', 1, 'root.h')]))

    def test_skips_the_model(self) -> None:
        found, foreign = _closure(
            root='#if defined(AUTOGRAD_SYNC_MODEL)\n#include "m.h"\n#else\n#include "s.h"\n#endif\n#include "e.h"\n',
            s='', e='#if !defined(AUTOGRAD_SYNC_MODEL)\n#include "t.h"\n#endif\n', t='#ifndef X\n#endif\n')
        self.assertEqual(found, ['e.h', 'root.h', 's.h', 't.h'])
        self.assertEqual(foreign, [])


if __name__ == '__main__':
    unittest.main()
