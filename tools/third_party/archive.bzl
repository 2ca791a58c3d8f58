"""source_archive: a repository unpacked from one pinned archive of the Debian pool.

The archive is named by its path in the pool; the mirror is the one that this machine's apt is configured for, so no
host is named here. Bazel downloads it, checks the one checksum, and keeps it in its repository cache (--distdir works
too). Where Bazel cannot reach the mirror, apt's own downloader tries: it knows apt's proxy and credentials, and says
what went wrong.
"""

_MIRROR = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"]

_APT_HELPER = "/usr/lib/apt/apt-helper"

_LOST = """[third_party] {name}: {url} cannot be downloaded:
{cause}
Where it says 404, the mirror's pool has dropped this version: pin one that it holds in
tools/third_party/repositories.bzl. Otherwise make the mirror reachable. In both cases an archive from elsewhere will do:
put {file} (sha256 {sha256}) into a folder and add --distdir=FOLDER"""

def _mirror(ctx):
    result = ctx.execute(_MIRROR)
    mirrors = [line for line in result.stdout.splitlines() if line]
    if not mirrors:
        fail(("[third_party] %s: this machine's apt knows no Debian mirror (%s); needed is one with package lists; " +
              "name one in /etc/apt, then run: apt-get update") % (ctx.name, result.stderr.strip() or "no such list"))
    return mirrors[0].rstrip("/")

def _download(ctx):
    url = "%s/%s" % (_mirror(ctx), ctx.attr.pool_path)
    if ctx.download(url = url, output = "archive", sha256 = ctx.attr.sha256, allow_fail = True).success:
        return
    result = ctx.execute([_APT_HELPER, "-o", "APT::Sandbox::User=", "download-file", url, "from_apt"])
    if result.return_code != 0:
        fail(_LOST.format(
            name = ctx.name,
            url = url,
            cause = result.stderr.strip(),
            file = url.split("/")[-1],
            sha256 = ctx.attr.sha256,
        ))
    ctx.download(url = "file://%s" % ctx.path("from_apt"), output = "archive", sha256 = ctx.attr.sha256)
    ctx.delete("from_apt")

def _unpack(ctx):
    command = ["tar", "--extract", "--file", "archive", "--no-same-owner"]
    command.append("--strip-components=%d" % ctx.attr.strip_components)
    if ctx.attr.members:
        command += ["--wildcards"] + ctx.attr.members
    result = ctx.execute(command, timeout = 600)
    if result.return_code != 0:
        fail("[third_party] %s: the archive does not unpack: %s" % (ctx.name, result.stderr))
    ctx.delete("archive")

def _source_archive_impl(ctx):
    if ctx.attr.build_file:
        ctx.path(ctx.attr.build_file)  # Resolved before anything slow: a missing label restarts the rule.
    _download(ctx)
    _unpack(ctx)
    if ctx.attr.build_file:
        ctx.delete("BUILD")
        ctx.delete("BUILD.bazel")
        ctx.symlink(ctx.attr.build_file, "BUILD.bazel")
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)

source_archive = repository_rule(
    implementation = _source_archive_impl,
    attrs = {
        "pool_path": attr.string(mandatory = True, doc = "Path of the archive below the mirror's root."),
        "sha256": attr.string(mandatory = True),
        "strip_components": attr.int(default = 1, doc = "Top folders of the archive to leave out."),
        "members": attr.string_list(doc = "tar patterns of what to unpack; everything by default."),
        "build_file": attr.label(allow_single_file = True, doc = "Replaces the archive's own."),
    },
)
