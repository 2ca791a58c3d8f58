"""A third-party header below an installed one is found; below others it is not."""

import unittest

from tools.install import headers
from tools.tidy import installed


class InstalledTest(unittest.TestCase):

    def check(self, **texts):
        tree = {**dict.fromkeys(headers.ROOTS, ''), **{f'autograd/{name}.h': text for name, text in texts.items()}}
        return [f'{finding.path}:{finding.line}: {finding.message}' for finding in installed.check_installed(tree)]

    def test_finds_third_parties(self):
        self.assertEqual(self.check(autograd='#include <vector>\n#include "autograd/x.h"\n',
                                    x='#include "absl/types/span.h"\n'),
                         ['autograd/x.h:1: an installed header includes absl/types/span.h; use what autograd/base offers '
                          'in its place, or hide it in the source'])

    def test_other_headers_may_have_them(self):
        self.assertEqual(self.check(autograd='#include <vector>\n', x='#include "absl/types/span.h"\n'), [])


if __name__ == '__main__':
    unittest.main()
