"""A repository from a pinned source archive, served by upstream or by the machine's own Debian mirror.

Upstream is tried first. Where it cannot be reached (the probe takes two seconds at most) the same
version comes as a Debian source package through apt, with the mirror, proxy and credentials that the
machine's apt already uses. Both archives are pinned by checksum, and Bazel's repository cache serves
either of them without a network.
"""

_PROBE = """
[ -n "${https_proxy:-}${HTTPS_PROXY:-}" ] || timeout 2 bash -c ": </dev/tcp/$1/443"
"""

def _host(url):
    return url.split("/")[2]

def _from_cache(ctx, sha256):
    # No such file exists: only a hit in the repository cache lets this succeed.
    return ctx.download(
        url = "file:///not-in-the-repository-cache/" + ctx.name,
        output = "archive",
        sha256 = sha256,
        allow_fail = True,
    ).success

def _from_upstream(ctx):
    if not ctx.attr.upstream_url:
        return False
    host = _host(ctx.attr.upstream_url)
    if ctx.execute(["bash", "-c", _PROBE, "probe", host], quiet = True).return_code != 0:
        return False
    return ctx.download(
        url = ctx.attr.upstream_url,
        output = "archive",
        sha256 = ctx.attr.upstream_sha256,
        allow_fail = True,
    ).success

def _from_debian(ctx):
    index = ctx.path(ctx.attr._debian_index)
    package = ctx.attr.debian_source
    release = ctx.attr.debian_release
    result = ctx.execute(
        ["sh", index.dirname.get_child("fetch_source.sh"), package, release, "debian"],
        timeout = 600,
    )
    if result.return_code != 0:
        fail("[third_party] %s: neither %s nor the Debian source package %s/%s could be fetched:\n%s%s" %
             (ctx.name, ctx.attr.upstream_url or "an upstream release", package, release, result.stdout, result.stderr))

    # A download from a file checks the sum and enters the archive in the repository cache.
    ctx.download(
        url = "file://" + result.stdout.strip(),
        output = "archive",
        sha256 = ctx.attr.debian_sha256,
    )
    ctx.delete("debian")

def _unpack(ctx, strip):
    command = ["tar", "--extract", "--file", "archive", "--no-same-owner", "--strip-components=%d" % strip]
    if ctx.attr.members:
        command += ["--wildcards"] + ctx.attr.members
    result = ctx.execute(command, timeout = 600)
    if result.return_code != 0:
        fail("[third_party] %s: the archive does not unpack: %s" % (ctx.name, result.stderr))
    ctx.delete("archive")
    if ctx.attr.system_headers:
        # Headers found through -iquote count as our own, and their warnings as our errors, unless they say otherwise.
        mark = "find . -name '*.h' -exec sed -i '1i #pragma GCC system_header' {} +"
        ctx.execute(["sh", "-c", mark])

def _source_archive_impl(ctx):
    if ctx.attr.build_file:
        ctx.path(ctx.attr.build_file)  # Resolved before anything slow: a missing label restarts the rule.
    debian_strip = ctx.attr.debian_strip_components
    if ctx.attr.upstream_sha256 and _from_cache(ctx, ctx.attr.upstream_sha256):
        _unpack(ctx, 1)
    elif ctx.attr.debian_sha256 != ctx.attr.upstream_sha256 and _from_cache(ctx, ctx.attr.debian_sha256):
        _unpack(ctx, debian_strip)
    elif _from_upstream(ctx):
        _unpack(ctx, 1)
    else:
        _from_debian(ctx)
        _unpack(ctx, debian_strip)
    if ctx.attr.build_file:
        ctx.delete("BUILD")
        ctx.delete("BUILD.bazel")
        ctx.symlink(ctx.attr.build_file, "BUILD.bazel")
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)

source_archive = repository_rule(
    implementation = _source_archive_impl,
    attrs = {
        "upstream_url": attr.string(doc = "Release archive with one top folder; empty where upstream makes none."),
        "upstream_sha256": attr.string(),
        "debian_source": attr.string(mandatory = True),
        "debian_release": attr.string(default = "bookworm"),
        "debian_sha256": attr.string(mandatory = True),
        "debian_strip_components": attr.int(default = 1),
        "members": attr.string_list(doc = "tar patterns of what to unpack; everything by default."),
        "system_headers": attr.bool(doc = "Mark every header as a system header: no warnings from it."),
        "build_file": attr.label(allow_single_file = True, doc = "Replaces the archive's own."),
        "_debian_index": attr.label(default = "@debian_index//:BUILD.bazel"),
    },
)
