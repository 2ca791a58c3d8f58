"""The adapters of this repository that have a name: `oracle check --engine=NAME`.

A row here makes the name known to the oracle's command line (its help and its messages), puts the adapter beside the
tool, and runs all goldens on it (//tools/oracle/foreign:NAME_conform_test). //tools/adapters:completeness_test prints
what else an adapter needs.
"""

load("@local_libtorch//:libtorch.bzl", "LIBTORCH_COMPATIBLE", "with_libtorch")

def _always(labels):
    return labels

def _adapter(name, package = "", compatible_with = [], where_present = _always):
    """A row.

    Args:
      name: the value of --engine; //tools/adapters/NAME builds the adapter, and its hello says name=NAME.
      package: the Debian package that brings the engine, as its group NAME in tools/prerequisites.sh; empty: none.
      compatible_with: target_compatible_with of what needs the engine.
      where_present: labels -> these labels where the engine is there, else none.
    """
    label = "//tools/adapters/" + name
    return struct(
        name = name,
        label = label,
        package = package,
        compatible_with = compatible_with,
        data = where_present([label]),
    )

NAMED_ADAPTERS = [
    _adapter(
        "libtorch",
        compatible_with = LIBTORCH_COMPATIBLE,
        package = "libtorch-dev",
        where_present = with_libtorch,
    ),
]

def named_adapters_targets():
    """For each row: with_NAME, whether the build is for that adapter (--define=adapter=NAME), and what it then holds."""
    for adapter in NAMED_ADAPTERS:
        native.config_setting(name = "with_" + adapter.name, define_values = {"adapter": adapter.name})
        native.filegroup(
            name = adapter.name + "_where_present",
            srcs = adapter.data,
            visibility = ["//tools/oracle:__pkg__"],
        )

def named_adapters_data():
    """The adapter that the build is for, if this machine can build it; for `data` of what starts adapters."""
    data = []
    for adapter in NAMED_ADAPTERS:
        data = data + select({
            "//tools/adapters:with_" + adapter.name: ["//tools/adapters:%s_where_present" % adapter.name],
            "//conditions:default": [],
        })
    return data

def named_adapters_table(name, out):
    """The rows for C++: ADAPTER(name, program, package)."""
    rows = [
        'ADAPTER("%s", "tools/adapters/%s/%s", "%s")' % (adapter.name, adapter.name, adapter.name, adapter.package)
        for adapter in NAMED_ADAPTERS
    ]
    native.genrule(
        name = name,
        outs = [out],
        cmd = "cat >$@ <<'END'\n%s\nEND" % "\n".join(rows),
    )
