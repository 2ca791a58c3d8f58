"""The part of an adapter that functional engines share: those with a vjp and neither .grad nor a graph.

A Program is recorded, and replayed for each derivative. No graph is ever freed, and what does not depend on
an input has a gradient of zeros: an engine's hello says by raises= that it has no errors for that.
"""

from tools.adapters.python import core


class Functional(core.Engine):
    """Values are immutable, so each has one name; a .grad gets a fresh one (`.7.%x`) when it changes.

    An engine gives FUNCTIONS (as OPS elsewhere) and HELLO, vjp (JAX's), tap(value, probe): the value,
    whose gradient is that of the probe, too; and tensor, floating, zeros_like, ones_like, data.
    """

    FUNCTIONS = {}

    def __init__(self):
        super().__init__()
        self.everything = {}  # values and gradients by name
        self.origins = {}  # name -> names that it is differentiable in, itself included
        self.tape = []  # (results, how to compute them from the values and probes of a replay)
        self.grads = {}
        self.retained = set()  # values between, whose .grad a call with inputs= has asked for

    def leaf(self, name, dtype, shape, data, requires_grad):
        self.origins[name] = {name} if requires_grad else set()
        self.everything[name] = self.tensor(dtype, shape, data)
        return self.everything[name]

    def define(self, results, origins, compute):
        for name, value in zip(results, compute(self.everything, ())):
            self.everything[name] = value
            self.origins[name] = origins | {name} if origins and self.floating(value) else set()
        if origins:
            self.tape.append((results, compute))

    def replay(self, length, probes):
        env, wanted = dict(self.everything), set().union(*probes)

        def note(name, value):
            for probe in probes:
                value = self.tap(value, probe[name]) if name in probe else value
            env[name] = value

        for name in wanted:
            note(name, env[name])
        for results, compute in self.tape[:length]:
            if any(wanted & self.origins[name] for name in results):
                for name, value in zip(results, compute(env, probes)):
                    note(name, value)
        return env

    def results(self, name, a, *operands):
        made = self.FUNCTIONS[name](a, *operands)
        return made if name in core.PARTS else [made]

    def statement(self, name, results, operands, a):
        if name in core.INDICES and len(results) > 1:
            if core.INDICES[name] not in self.FUNCTIONS:
                raise core.Refused('indices beside the values')
            self.statement(name, results[:1], operands, a)
            self.statement(core.INDICES[name], results[1:], operands, a)
        elif name in self.FUNCTIONS:
            keep = self.recording and name != 'detach'
            origins = set().union(*(self.origins[v] for v in operands)) if keep else set()
            self.define(results, origins, lambda env, probes: self.results(name, a, *[env[v] for v in operands]))
        elif name == 'zero_grad':
            self.grads.pop(operands[0], None)
        elif name == 'read_grad':
            if operands[0] in self.grads:
                grad = self.grads[operands[0]]
                self.define(results, self.origins[grad], lambda env, probes: [env[grad]])
        elif name not in ('backward', 'grad'):
            raise core.Refused(name)
        else:
            self.derive(name == 'backward', results, operands, a)
        self.values.update((v, self.everything.get(v)) for v in results)

    def derive(self, backward, results, roots, a):
        reach = set().union(*(self.origins[v] for v in roots))
        made = {v for results, _ in self.tape for v in results}
        inputs = a.get('inputs', [v for v in self.values if v in reach - made | reach & self.retained])
        seeds = a.get('seeds') or ['_'] * len(roots)
        self.check(backward, roots, seeds, inputs, reach, a)
        used, length = [v for v in inputs if v in reach], len(self.tape)
        create = a.get('create_graph', False)
        old = {v: self.grads.get(v) for v in used} if backward else {}

        def compute(env, probes):
            def forward(inner):  # all roots of one replay, where their seeds meet before they go on
                replayed = self.replay(length, (*probes, inner))
                return [replayed[v] for v in roots]

            outputs, pull = self.vjp(forward, {v: self.zeros_like(self.everything[v]) for v in used})
            given = [self.ones_like(out) if v == '_' else env[v] for v, out in zip(seeds, outputs)]
            gradients, = pull(given)
            return [env[old[v]] + gradients[v] if old.get(v) else gradients[v] for v in used]

        names = [f'.{len(self.everything)}.{v}' for v in used]
        more = [v for v in seeds if v != '_'] + [v for v in old.values() if v]
        self.define(names, reach.union(*(self.origins[v] for v in more)) if create else set(), compute)
        if backward:
            self.grads.update(zip(used, names))
            self.retained |= set(inputs) & made
            return
        for result, v in zip(results, inputs):
            if v in reach:
                name = names[used.index(v)]
                self.define([result], self.origins[name], lambda env, probes, name=name: [env[name]])
            elif a.get('materialize'):
                self.define([result], set(), lambda env, probes, v=v: [self.zeros_like(env[v])])

    def check(self, backward, roots, seeds, inputs, reach, a):
        """Refuses what cannot be computed here, be it an error by the rules or not."""
        if not all(self.floating(self.everything[v]) and self.origins[v] for v in roots + a.get('inputs', [])):
            raise core.Refused('a root or input without gradients')
        if len(seeds) != len(roots) or len(set(inputs)) != len(inputs) or not inputs and backward:
            raise core.Refused('seeds or inputs that do not fit')
        for root, seed in zip(map(self.everything.get, roots), map(self.everything.get, seeds)):
            if root.size != 1 if seed is None else (seed.shape, seed.dtype) != (root.shape, root.dtype):
                raise core.Refused('a seed that does not fit')
        if not backward and not (a.get('allow_unused') or a.get('materialize')) and set(inputs) - reach:
            raise core.Refused('an unused input')
        if self.retained & reach - set(inputs if backward else ()):
            raise core.Refused('a value whose .grad is kept')

    def grad(self, name):
        return self.everything.get(self.grads.get(name))
