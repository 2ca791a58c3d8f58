"""What lay_out.py asks of BOLT and of the program, each played by a script that writes down how it is called."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest

_LAY_OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lay_out.py')
_AS_LINKED = '#!/bin/sh\necho "as linked"\n'
# With counters: of each of two processes one.
_COUNTING = '''#!/bin/sh
echo "counting $*" >> "$CALLS"
echo "a fault"
echo 3 > counts.17.fdata; echo 4 > counts.18.fdata
'''
_BOLT = '''#!/bin/sh
echo "bolt $*" >> "$CALLS"
if [ "$4" = -instrument ]; then cp "$COUNTING" "$3"; else printf '#!/bin/sh\\necho "laid out"\\n' > "$3"; chmod +x "$3"; fi
'''
_MERGE = '''#!/bin/sh
echo "merge $*" >> "$CALLS"
cat "$3" "$4" > "$2"
'''


class LayOutTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = os.path.realpath(folder.name)
        for name, text in (('as_linked', _AS_LINKED), ('counting', _COUNTING), ('bolt', _BOLT), ('merge', _MERGE)):
            self.write(name, text)

    def write(self, name, text):
        path = os.path.join(self.top, name)
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, stat.S_IRWXU)

    def lay_out(self, bolt='bolt'):
        """What was said, the calls, and what OUT says when it runs."""
        environment = {**os.environ, 'CALLS': f'{self.top}/calls', 'COUNTING': f'{self.top}/counting'}
        run = subprocess.run(
            [sys.executable, _LAY_OUT, f'--bolt={self.top}/{bolt}', f'--merge={self.top}/merge', 'as_linked', 'out', 'check', '--seed=1'],
            cwd=self.top, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, ''))
        calls = []
        if os.path.exists(f'{self.top}/calls'):
            with open(f'{self.top}/calls') as file:
                calls = file.read().splitlines()
        said = subprocess.run([f'{self.top}/out'], stdout=subprocess.PIPE, text=True, check=True).stdout
        return run.stderr, calls, said

    def test_counts_a_run_and_lays_out_by_the_counts_of_its_processes(self):
        said, calls, program = self.lay_out()
        self.assertEqual((said, program), ('', 'laid out\n'))
        adding, counting, merging, laying = calls
        place = adding.split()[3].rsplit('/', 1)[0]
        self.assertEqual(adding, f'bolt {self.top}/as_linked -o {place}/counting -instrument --instrumentation-file={place}/counts '
                         '--instrumentation-file-append-pid')
        self.assertEqual(counting, 'counting check --seed=1')
        self.assertEqual(merging, f'merge -o {place}/merged {place}/counts.17.fdata {place}/counts.18.fdata')
        self.assertTrue(laying.startswith(f'bolt {self.top}/as_linked -o {self.top}/out -data={place}/merged -reorder-blocks='))
        self.assertFalse(os.path.exists(place))

    def test_a_run_that_finds_a_fault_leaves_the_program_as_it_was_linked(self):
        self.write('counting', _COUNTING + 'exit 1\n')
        said, calls, program = self.lay_out()
        self.assertEqual((len(calls), program), (2, 'as linked\n'))
        self.assertIn('[lay_out] as_linked stays as it was linked', said)
        self.assertIn('a run that counts (check --seed=1): exit status 1, needed is 0; it ends with\n  a fault', said)

    def test_so_does_a_run_without_counts(self):
        self.write('counting', '#!/bin/sh\n')
        said, _, program = self.lay_out()
        self.assertEqual(program, 'as linked\n')
        self.assertIn('left no counts', said)

    def test_and_a_bolt_that_cannot_be_run(self):
        said, calls, program = self.lay_out(bolt='nowhere')
        self.assertEqual((calls, program), ([], 'as linked\n'))
        self.assertIn('adding counters', said)


if __name__ == '__main__':
    unittest.main()
