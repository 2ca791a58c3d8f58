#!/bin/bash
# image.sh ORACLE OUT.tar [FILE...]: a container image that runs shards, as an archive of the OCI layout.
#
#   tools/bazel run //fuzz/campaign/cluster:image -- /tmp/oracle.tar
#   skopeo copy oci-archive:/tmp/oracle.tar docker://REGISTRY/twingrad-oracle:latest
#
# Made without a daemon, of Debian packages: the essential ones, and those that own the libraries which the programs are
# linked against on this machine, of the same release. ORACLE becomes /oracle/oracle. An explorer that lies beside it, and
# other FILEs, such as fuzz targets, lie there too; the page and the goldens of the repository lie below /oracle, where the
# tool looks for them. Runs as root, for mmdebstrap unpacks packages of other owners. The entry point is that of
# kubernetes.yaml: JOB_COMPLETION_INDEX names the shard.
set -euo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: image.sh ORACLE OUT.tar [FILE...]" >&2
  exit 2
fi
oracle="$1"
out="$2"
shift 2
explorer="$(dirname "${oracle}")/explorer"
if [[ -x "${explorer}" ]]; then set -- "${explorer}" "$@"; fi
[[ "${out}" == /* ]] || out="${BUILD_WORKING_DIRECTORY:-${PWD}}/${out}"
for tool in mmdebstrap umoci; do
  if ! command -v "${tool}" >/dev/null; then
    echo "[image] there is no ${tool} here; needed are mmdebstrap and umoci; apt-get install mmdebstrap umoci" >&2
    exit 3
  fi
done

work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

# packages_of PROGRAM...: those that own the libraries that the programs are linked against.
packages_of() {
  local library
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u | while read -r library; do
    # Of a package that was unpacked before /lib became a link, the name begins there.
    dpkg -S "${library}" 2>/dev/null || dpkg -S "/usr${library}" 2>/dev/null || dpkg -S "${library#/usr}"
  done | cut -d: -f1 | sort -u
}

release="$(. /etc/os-release && echo "${VERSION_CODENAME}")"
packages="$(packages_of "${oracle}" "$@" | paste -sd,)"
echo "[image] Debian ${release} with ${packages}"
mmdebstrap --quiet --variant=essential --include="${packages}" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' "${release}" "${work}/root"

place() { install -D --mode="$1" "$2" "${work}/root/oracle/$3"; }
place 755 "${oracle}" oracle
for file; do place 755 "${file}" "$(basename "${file}")"; done
place 644 fuzz/campaign/page.html fuzz/campaign/page.html
find -L golden -type f -printf '%P\n' | while read -r file; do place 644 "golden/${file}" "golden/${file}"; done
mkdir "${work}/root/campaign"

umoci init --layout "${work}/layout"
umoci new --image "${work}/layout:latest"
umoci insert --image "${work}/layout:latest" "${work}/root" /
umoci config --image "${work}/layout:latest" --config.workingdir /campaign --config.entrypoint /oracle/oracle \
  --config.cmd campaign --config.cmd run --config.cmd /campaign --config.volume /campaign
umoci gc --layout "${work}/layout"
tar -C "${work}/layout" -cf "${out}" .
echo "[image] ${out}: $(du -h "${out}" | cut -f1)"
