"""Seeds, options and dictionary of a fuzz target, as a service unpacks them."""

import os
import tempfile
import unittest
import zipfile

from tools.rules import fuzz_pack


class FuzzPackTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def at(self, name, contents=None):
        path = os.path.join(self.folder, name)
        if contents is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as file:
                file.write(contents)
        return path

    def test_seeds_of_one_name_are_kept_and_equal_ones_are_one(self):
        seeds = [self.at('a/x', b'one'), self.at('b/x', b'two'), self.at('c', b'one')]
        for name in ('1.zip', '2.zip'):
            fuzz_pack.main([f'--zip={self.at(name)}', f'--options={self.at("o")}', *seeds])
        with zipfile.ZipFile(self.at('1.zip')) as archive:
            self.assertEqual(sorted(archive.read(name) for name in archive.namelist()), [b'one', b'two'])
        with open(self.at('1.zip'), 'rb') as first, open(self.at('2.zip'), 'rb') as second:
            self.assertEqual(first.read(), second.read())

    def test_options_are_flags_without_their_dash(self):
        fuzz_pack.main([f'--zip={self.at("z")}', f'--options={self.at("o")}', f'--dict={self.at("t.dict")}',
                        f'--words={self.at("w", b"x")}', '--flag=-len_control=0', '--flag=-detect_leaks=0',
                        self.at('s', b'')])
        with open(self.at('o'), encoding='utf-8') as file:
            self.assertEqual(file.read(), '[libfuzzer]\nlen_control = 0\ndetect_leaks = 0\ndict = t.dict\n')
        with open(self.at('t.dict'), 'rb') as file:
            self.assertEqual(file.read(), b'x')


if __name__ == '__main__':
    unittest.main()
