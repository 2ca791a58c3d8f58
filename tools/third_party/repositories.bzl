"""Every external repository: its archive in the Debian pool, and the archive's checksum.

The versions are those of Debian 12, whose pool any machine with a Debian mirror reaches; see archive.bzl.
"""

load("//tools/third_party:archive.bzl", "source_archive")
load("//tools/third_party:arb.bzl", "local_arb")
load("//tools/third_party:bolt.bzl", "local_bolt")
load("//tools/third_party:cuda.bzl", "local_cuda")
load("//tools/third_party:libtorch.bzl", "local_libtorch")
load("//tools/third_party:onednn.bzl", "local_onednn")
load("//tools/third_party:sqlite.bzl", "local_sqlite")
load("//tools/third_party:stub.bzl", "stub_repository")
load("//tools/third_party:tcmalloc.bzl", "local_tcmalloc")

_RULES_CC = """
cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library
"""

# Bazel resolves this one even where no coverage is asked for.
_COVERAGE_TOOLS = """
package(default_visibility = ["//visibility:public"])
filegroup(name = "coverage_report_generator")
filegroup(name = "lcov_merger")
"""

def _rule_repositories():
    stub_repository(
        name = "rules_cc",
        files = {"BUILD.bazel": "", "cc/BUILD.bazel": "", "cc/defs.bzl": _RULES_CC},
    )
    stub_repository(
        name = "remote_coverage_tools",
        files = {"BUILD.bazel": _COVERAGE_TOOLS},
    )
    for name, path in {
        "bazel_skylib": "/usr/share/bazel/tools/skylib",
        "platforms": "/usr/share/bazel/tools/platforms",
        "rules_java": "/usr/share/bazel/rules/java",
        "rules_proto": "/usr/share/bazel/rules/proto",
    }.items():
        native.local_repository(name = name, path = path)

def _test_libraries():
    source_archive(
        name = "com_google_googletest",
        pool_path = "pool/main/g/googletest/googletest_1.12.1.orig.tar.gz",
        sha256 = "81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2",
    )

    # Debian 12 has lost the source of its own version; this is Debian 13's, from the same pool.
    source_archive(
        name = "rapidcheck",
        pool_path = "pool/main/r/rapidcheck/rapidcheck_0~1048-a5724ea.orig.tar.xz",
        sha256 = "a56df6c2fc91ae1a49092666e8115e71801fc2976543b822a616561c8b49a4b7",
        strip_components = 0,
        members = ["LICENSE.md", "include/*", "src/*", "extras/*"],
        build_file = "//tools/third_party:rapidcheck.BUILD",
    )
    source_archive(
        name = "com_github_google_benchmark",
        pool_path = "pool/main/b/benchmark/benchmark_1.7.1.orig.tar.gz",
        sha256 = "6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7",
    )

def _libraries():
    source_archive(
        name = "com_google_absl",
        pool_path = "pool/main/a/abseil/abseil_20220623.1.orig.tar.gz",
        sha256 = "abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe",
    )
    source_archive(
        name = "highway",
        pool_path = "pool/main/h/highway/highway_1.0.3.orig.tar.gz",
        sha256 = "566fc77315878473d9a6bd815f7de78c73734acdcb745c3dde8579560ac5440e",
        members = ["*/LICENSE*", "*/hwy/*"],
        build_file = "//tools/third_party:highway.BUILD",
    )
    source_archive(
        name = "nlohmann_json",
        pool_path = "pool/main/n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz",
        sha256 = "d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273",
        members = ["*/LICENSE.MIT", "*/include/nlohmann/*"],
        build_file = "//tools/third_party:nlohmann_json.BUILD",
    )

    # Of Boost, the context library and the headers it reaches.
    source_archive(
        name = "boost_context",
        pool_path = "pool/main/b/boost1.74/boost1.74_1.74.0+ds1.orig.tar.xz",
        sha256 = "192f5df504d282cb81288f88232d8af45b64a9ab531e1c7cf8ae955f16f6bb28",
        members = ["*/libs/context/src/*"] + [
            "*/libs/%s/include/*" % library
            for library in ["assert", "config", "context", "core", "integer", "pool", "smart_ptr", "type_traits"]
        ],
        build_file = "//tools/third_party:boost_context.BUILD",
    )

def twingrad_repositories():
    """Declares them all; nothing is fetched until a target needs it."""
    _rule_repositories()
    local_arb(name = "local_arb")
    local_bolt(name = "local_bolt")
    local_cuda(name = "local_cuda")
    local_libtorch(name = "local_libtorch", distribution = True, variable = "TORCH_ROOT")
    local_libtorch(name = "local_pytorch", variable = "PYTORCH_ROOT")
    local_onednn(name = "local_onednn")
    local_sqlite(name = "local_sqlite")
    local_tcmalloc(name = "local_tcmalloc")
    _test_libraries()
    _libraries()
