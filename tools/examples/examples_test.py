"""The examples train: their loss falls below its goal, from any seed, and their picture is a picture.

A program ends with status 0 only if the goal is met; the same seed gives the same lines.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

MLP, CNN, TRANSFORMER = (sys.argv.pop(1) for _ in range(3))


class ExamplesTest(unittest.TestCase):

    def check(self, program, lines, first, goal, steps):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, 'loss.svg')
            done = subprocess.run([program, '--svg=' + picture], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            losses = [float(loss) for loss in re.findall(r'loss (\d+\.\d+)', done.stdout)]
            self.assertEqual(len(losses), lines, done.stdout)
            self.assertGreater(losses[0], first)
            self.assertLess(losses[-1], goal)
            svg = xml.etree.ElementTree.parse(picture).getroot()
            self.assertEqual(svg.tag, '{http://www.w3.org/2000/svg}svg')
            line = svg.find('{http://www.w3.org/2000/svg}polyline')
            self.assertEqual(len(line.get('points').split()), steps)
        again = subprocess.run([program], capture_output=True, text=True)
        self.assertEqual(again.stdout, done.stdout)

    def reaches_its_goal(self, program, seeds):
        for seed in seeds:
            done = subprocess.run([program, f'--seed={seed}'], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f'seed {seed}: {done.stdout}{done.stderr}')

    def test_mlp(self):
        self.check(MLP, lines=13, first=0.5, goal=0.1, steps=1200)
        # Seeds 4 and 6 ended above it when the learning rate was the same to the end.
        self.reaches_its_goal(MLP, range(1, 21))

    def test_cnn(self):
        self.check(CNN, lines=9, first=1, goal=0.15, steps=400)
        self.reaches_its_goal(CNN, (2, 3))

    def test_transformer(self):
        self.check(TRANSFORMER, lines=7, first=2, goal=0.1, steps=120)
        self.reaches_its_goal(TRANSFORMER, (2, 3))

    def test_refuse_what_they_do_not_know(self):
        for program in (MLP, CNN, TRANSFORMER):
            done = subprocess.run([program, '--sed=1'], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn('allowed: --seed=N --svg=FILE', done.stderr)
        done = subprocess.run([MLP, '--svg=/no/such/folder/loss.svg'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)


if __name__ == '__main__':
    unittest.main()
