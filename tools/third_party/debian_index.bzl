"""The index of Debian's source packages in a private apt directory, read once for all repositories.

The machine's own apt lists stay as they are: the private list names the mirror that apt is already
configured for, and adds the releases that the pinned versions come from.
"""

_FETCH = """#!/bin/sh
# fetch_source.sh PACKAGE RELEASE FOLDER: downloads the package's source archive into FOLDER (which is made)
# and prints its path. Several may run at once: the lock keeps apt's package cache whole.
set -eu
mkdir -p "$3"
cd "$3"
flock "@ROOT@/lock" apt-get @OPTIONS@ -qq source --only-source --tar-only --download-only "$1/$2" >apt.log 2>&1 \\
  || { cat apt.log; exit 1; }
rm apt.log
find "$PWD" -type f
"""

_MIRROR = "apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1"

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

def _debian_index_impl(ctx):
    root = str(ctx.path("."))
    mirror = ctx.execute(["sh", "-c", _MIRROR]).stdout.strip()
    if not mirror:
        fail("[third_party] this machine's apt names no Debian mirror, and upstream cannot be reached; " +
             "add one to /etc/apt, or allow downloads from the hosts in tools/third_party/repositories.bzl")
    ctx.file("sources.list", "".join([
        "deb-src [signed-by=%s] %s %s main\n" % (_KEYRING, mirror, release)
        for release in ctx.attr.releases
    ]))
    for folder in ["lists/partial", "cache/archives/partial"]:
        ctx.execute(["mkdir", "-p", folder])
    options = " ".join(["-o '%s=%s'" % option for option in [
        ("Dir::State::Lists", root + "/lists"),
        ("Dir::Cache", root + "/cache"),
        ("Dir::Etc::SourceList", root + "/sources.list"),
        ("Dir::Etc::SourceParts", "/dev/null"),
        ("APT::Sandbox::User", ""),
        ("Acquire::Languages", "none"),
        ("Acquire::Retries", "3"),
    ]])
    ctx.file("fetch_source.sh", _FETCH.replace("@ROOT@", root).replace("@OPTIONS@", options))
    ctx.file("lock", "")
    ctx.file("BUILD.bazel", "")
    result = ctx.execute(["sh", "-c", "apt-get %s -q update" % options], timeout = 300)
    if result.return_code != 0:
        fail("[third_party] the source index of %s cannot be read:\n%s%s" % (mirror, result.stdout, result.stderr))

debian_index = repository_rule(
    implementation = _debian_index_impl,
    attrs = {"releases": attr.string_list(mandatory = True)},
)
