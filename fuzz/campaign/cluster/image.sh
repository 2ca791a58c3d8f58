#!/bin/bash
# image.sh ORACLE OUT.tar [FILE...]: a container image that runs shards, as an archive of the OCI layout.
#
#   tools/bazel run //fuzz/campaign/cluster:image -- /tmp/oracle.tar
#   skopeo copy oci-archive:/tmp/oracle.tar docker://REGISTRY/twingrad-oracle:latest
#
# Made without a daemon, of Debian packages: the essential ones, and those that own the libraries which the programs are
# linked against on this machine, of the same release. ORACLE becomes /oracle/oracle. An explorer that lies beside it, and
# other FILEs, such as fuzz targets, lie there too; the page and the goldens of the repository lie below /oracle, where the
# tool looks for them. Runs as root, for mmdebstrap unpacks packages of other owners. The packages come from where this
# machine has its own. The entry point is that of kubernetes.yaml: JOB_COMPLETION_INDEX names the shard.
#
# Exit status 2: wrong arguments; 3: this machine lacks a tool, or the user is not root; 4: no mirror of Debian answers.
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
if [[ "$(id -u)" != 0 ]]; then
  echo "[image] this user is not root; needed is root, as which packages are unpacked; use sudo, or a container" >&2
  exit 3
fi

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

# sources_of RELEASE: the lines of Debian itself that apt has on this machine, updates too.
sources_of() {
  apt-get indextargets \
    --format 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(SITE) $(RELEASE) main' \
    'Created-By: Packages' 'Origin: Debian' 'Component: main' | sort -u | grep -E " $1(-updates|-security)? main\$"
}

# proxies: how apt gets through to it, as options of mmdebstrap, which reads none of this machine's.
proxies() {
  local scheme proxy
  for scheme in http https; do
    proxy="$(apt-config dump --format '%v' "Acquire::${scheme}::Proxy")"
    if [[ -n "${proxy}" ]]; then echo "--aptopt=Acquire::${scheme}::Proxy \"${proxy}\""; fi
  done
}

release="$(. /etc/os-release && echo "${VERSION_CODENAME}")"
mapfile -t sources < <(sources_of "${release}" || true)
if [[ "${#sources[@]}" == 0 ]]; then
  echo "[image] apt has no lists of Debian ${release} here; needed is the mirror that they come from; apt-get update" >&2
  exit 4
fi
mapfile -t aptopts < <(proxies)
# Each source has this file; apt says soon whether it can be had.
for source in "${sources[@]}"; do
  read -r _ _ site suite _ <<<"${source}"
  if ! /usr/lib/apt/apt-helper -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    download-file "${site}/dists/${suite}/InRelease" "${work}/InRelease" >"${work}/said" 2>&1; then
    echo "[image] ${site} ${suite} does not answer; needed is the mirror of Debian that apt has here; connect, or correct" \
      "/etc/apt/sources.list; it says: $(grep '^E:' "${work}/said")" >&2
    exit 4
  fi
done
packages="$(packages_of "${oracle}" "$@" | paste -sd,)"
echo "[image] Debian ${release} with ${packages}"
mmdebstrap --quiet --variant=essential --include="${packages}" "${aptopts[@]}" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' "${release}" "${work}/root" "${sources[@]}"

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
