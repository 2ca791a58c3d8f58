"""The standard back end costs nothing: its machine code is that of the standard library used by hand.

The functions of codegen_pairs.cc are disassembled and each `ours_NAME` is compared with its `twin_NAME`,
instruction by instruction, addresses and the two prefixes aside.
"""

import difflib
import os
import re
import subprocess
import sys
import unittest

PAIRS_AT_LEAST = 10
CONTROL = 'control'

_HEADER = re.compile(r'^[0-9a-f]+ <(.+)>:$')
_INSTRUCTION = re.compile(r'^\s*[0-9a-f]+:\s+(.+?)\s*$')
_PADDING = re.compile(r'^((data16|cs)\s+)*(nop[wl]?|xchg\s+%ax,%ax|add\s+%al,\(%rax\)|udf|int3)')


def functions_of(disassembly):
    """{name: [instruction]} of what `objdump -d --no-show-raw-insn` prints; padding after the end is left out."""
    functions = {}
    lines = []
    for line in disassembly.splitlines():
        header = _HEADER.match(line)
        instruction = _INSTRUCTION.match(line)
        if header:
            lines = functions.setdefault(header.group(1), [])
        elif instruction:
            lines.append(instruction.group(1))
    for lines in functions.values():
        while lines and _PADDING.match(lines[-1]):
            lines.pop()
    return functions


def normalised(instruction):
    """Without what differs between equal functions: where they lie, and which of the two they are."""
    text = re.sub(r'\s+', ' ', instruction)
    text = re.sub(r'-?0x[0-9a-f]+\(%rip\)', '(%rip)', text)
    text = re.sub(r'%fs:0x[0-9a-f]+', '%fs:OFFSET', text)
    text = re.sub(r'\b[0-9a-f]+ <', '<', text)
    # A symbol of ours that is no function of a pair: the demangled name says which side it is.
    return re.sub(r'\b(ours|twin)_', 'PAIR_', text)


def difference_of(ours, twin):
    """Empty if the two lists of instructions are alike, else a diff to read."""
    ours = [normalised(i) for i in ours]
    twin = [normalised(i) for i in twin]
    return '\n'.join(difflib.unified_diff(twin, ours, 'by hand', 'autograd/sync', lineterm='', n=1000))


def disassemble(program):
    return subprocess.run(['objdump', '-d', '--no-show-raw-insn', program],
                          check=True, capture_output=True, text=True).stdout


class NormalisationTest(unittest.TestCase):

    def test_functions_end_before_their_padding(self):
        text = ('0000000000401130 <ours_a>:\n  401130:\tlock xadd %eax,(%rdi)\n  401134:\tret\n'
                '  401135:\tdata16 cs nopw 0x0(%rax,%rax,1)\n\n0000000000401140 <twin_a>:\n  401140:\tret\n')
        self.assertEqual(functions_of(text), {'ours_a': ['lock xadd %eax,(%rdi)', 'ret'], 'twin_a': ['ret']})

    def test_where_a_function_lies_plays_no_part(self):
        self.assertEqual(normalised('jne    401156 <ours_wait+0x16>'), normalised('jne 4011a6 <twin_wait+0x16>'))
        self.assertNotEqual(normalised('jne 401156 <ours_wait+0x16>'), normalised('jne 4011a6 <twin_wait+0x1a>'))
        self.assertNotEqual(normalised('call 401030 <f@plt>'), normalised('call 401040 <g@plt>'))

    def test_a_difference_is_shown_as_a_diff(self):
        self.assertEqual(difference_of(['mov %eax,0x8(%rdi)'], ['mov  %eax,0x8(%rdi)']), '')
        self.assertIn('+mov %eax,0x8(%rdi)', difference_of(['mov %eax,0x8(%rdi)'], ['mov %eax,0x4(%rdi)']))


class CodegenTest(unittest.TestCase):

    def setUp(self):
        if 'skip_instrumented' in sys.argv:
            self.skipTest('sanitizers and coverage add instructions of their own; the default configuration compares')
        self.functions = functions_of(disassemble(os.path.join('autograd', 'sync', 'codegen_pairs')))
        self.names = sorted(name[len('ours_'):] for name in self.functions if re.fullmatch(r'ours_\w+', name))

    def difference(self, name, suffix=''):
        return difference_of(self.functions.get(f'ours_{name}{suffix}', []),
                             self.functions.get(f'twin_{name}{suffix}', []))

    def test_each_function_is_that_of_the_standard_library(self):
        self.assertGreaterEqual(len(self.names) - 1, PAIRS_AT_LEAST)
        for name in self.names:
            if name == CONTROL:
                continue
            with self.subTest(name):
                self.assertTrue(self.functions.get(f'twin_{name}'), f'there is no twin_{name}')
                for part in ('', '.cold'):
                    difference = self.difference(name, part)
                    self.assertEqual(difference, '', f'\nours_{name}{part} is not the code written by hand:\n{difference}')
                print(f'{name}: {len(self.functions["ours_" + name])} instructions, alike')

    def test_a_function_that_differs_is_told(self):
        self.assertIn('lock sub' if os.uname().machine == 'x86_64' else '+', self.difference(CONTROL))


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]])
