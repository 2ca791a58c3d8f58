"""Which libraries are compiled against both back ends of //autograd/sync, and how to name the one for the model.

A library listed here exists twice: NAME, against the standard library, and NAME.model, against the scheduler
of an interleaving test. Everything else is compiled once and linked to either. A target built against the model
(interleaving_test, or `model = True` of ag_library, ag_binary and ag_test) depends on the second of each pair. A
library that is not listed and reached the engine would bring the other back end into such a program, which
does not link (//autograd/sync:backend_mix_test).
"""

_PACKAGES = [
    "autograd/sync",
    "autograd/device",
    "autograd/tensor",
    "autograd/tensor/kernels",
    "autograd/graph",
    "autograd/ops",
    "autograd/engine",
    "autograd/runner",
    "proptests/mutants/concurrent",
]

# The libraries of other packages that run the engine.
_LIBRARIES = [
    "proptests/judge:engine_judge",
    "proptests/subjects:engine_subject",
]

# Of these packages, but the same against either.
_ONCE = [
    "autograd/sync:model_scheduler",
]

def has_two_backends(package, name):
    """Whether //package:name is a pair of libraries."""
    label = package + ":" + name
    return label in _LIBRARIES or package in _PACKAGES and label not in _ONCE

def _against_model(label):
    if label.startswith("@"):
        return label
    package, colon, name = label.partition(":")
    package = package[2:] if package else native.package_name()
    name = name if colon else package.split("/")[-1]
    return "//%s:%s.model" % (package, name) if has_two_backends(package, name) else label

def against_model(labels):
    """The labels of libraries, each replaced by its variant for the model where it has one."""
    return [_against_model(label) for label in labels]
