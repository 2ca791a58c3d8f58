"""A repository made of a few files given in place."""

def _stub_repository_impl(ctx):
    for path, content in ctx.attr.files.items():
        ctx.file(path, content)
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)

stub_repository = repository_rule(
    implementation = _stub_repository_impl,
    attrs = {"files": attr.string_dict(mandatory = True, doc = "Path to content.")},
)
