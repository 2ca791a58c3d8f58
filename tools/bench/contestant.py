"""A contestant as its racer sees it: a process that runs cases on one engine (contestant.h)."""

import contextlib
import os
import subprocess


class Failed(Exception):
    """The contestant ended, or a case of it threw."""


@contextlib.contextmanager
def one_processor():
    """Contestants that start herein share one processor: what else the machine does on it meets all of them alike."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


class Contestant:
    """One process; `name` is what it calls itself. Use it in a `with` statement."""

    def __init__(self, command):
        self._command = command
        self._process = None
        self.name = ''
        self.start()

    def start(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name = self._answer().removeprefix('ready ')

    def restart(self):
        """Memory and state as at the start."""
        self.close()
        self.start()

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def ask(self, case, size):
        """Starts a run; `answer` waits for its figures."""
        try:
            self._process.stdin.write(f'{case} {size}\n')
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f'[bench] {self.name} ended') from None

    def answer(self):
        """{figure: value} of the run asked for, empty where the engine does not have the case."""
        line = self._answer()
        if line == 'unknown':
            return {}
        if line.startswith('error '):
            raise Failed(f'[bench] {self.name}: {line.removeprefix("error ")}')
        words = line.split()
        return {name: float(value) for name, value in zip(words[::2], words[1::2])}

    def run(self, case, size):
        self.ask(case, size)
        return self.answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise Failed(f'[bench] {" ".join(self._command)} ended with status {self._process.wait()}; '
                         'it must answer each line; run it by hand')
        return line.rstrip('\n')

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
