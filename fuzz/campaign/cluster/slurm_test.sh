#!/bin/bash
# A job array on a real Slurm of one host, started here from the distribution's packages: 20 shards, of which some are
# killed and requeued, and the node's daemon is killed once. Every Program has to count once.
#
#   slurm_test.sh ORACLE JOB_SCRIPT
set -euo pipefail
oracle="$(realpath "$1")"
script="$(realpath "$2")"
# The daemons lie where a test's PATH does not lead.
PATH="${PATH}:/usr/sbin"
readonly SHARDS=20 PROGRAMS=300
# Seconds between the two signals that end a task.
readonly KILL_WAIT=2

for program in slurmctld slurmd munged sbatch; do
  if ! command -v "${program}" >/dev/null; then
    echo "[campaign] ${program} is missing; needed are the packages slurmctld, slurmd, slurm-client and munge; install them"
    exit 1
  fi
done
if [[ "$(id -u)" != 0 ]]; then
  echo "[campaign] this user is not root; needed is root, as which slurmd starts tasks; run it in a container"
  exit 1
fi

folder="$(mktemp -d)"
chmod 755 "${folder}"
daemons=()
finish() {
  scancel --quiet --user=root 2>/dev/null || true
  kill "${daemons[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "${folder}"
}
trap finish EXIT

dd if=/dev/urandom of="${folder}/key" bs=1 count=1024 status=none
chmod 400 "${folder}/key"
munged --foreground --force --key-file="${folder}/key" --socket="${folder}/munge" --pid-file="${folder}/munged.pid" \
  --log-file="${folder}/munged.log" --seed-file="${folder}/seed" &
daemons+=($!)
host="$(hostname -s)"
mkdir "${folder}/state" "${folder}/spool"
# Ports that no other Slurm of this host has.
port=$((20000 + $$ % 20000))
cat >"${folder}/slurm.conf" <<END
ClusterName=campaign
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${port}
SlurmdPort=$((port + 1))
AuthType=auth/munge
# How long a requeued task waits.
AuthInfo=cred_expire=5,socket=${folder}/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=1
MinJobAge=300
JobRequeue=1
KillWait=${KILL_WAIT}
NodeName=${host} NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=${host} Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="${folder}/slurm.conf"
slurmctld -D &
daemons+=($!)
start_node() {
  slurmd -D &
  node=$!
  daemons+=("${node}")
}
start_node

# await WHAT COMMAND...: until the command succeeds, two minutes at most.
await() {
  local what="$1" i
  shift
  for ((i = 0; i < 1200; ++i)); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "[campaign] ${what} did not come in two minutes; needed is a Slurm that starts; see below"
  tail -n 20 "${folder}"/*.log
  exit 1
}
node_is_idle() { [[ "$(sinfo -h -o %T)" == idle ]]; }
await "a node" node_is_idle

# The planted defects are found in the normal way; the others find nothing. 5 ms a Program.
printf '{"seed": 3, "shards": %d, "canaries": 2, "checkpoint": 0.2, "lease": 5, "jobs": [
  {"programs": %d, "flags": {"ops": "slow"}}]}' "${SHARDS}" "${PROGRAMS}" >"${folder}/plan.json"
"${oracle}" campaign plan "${folder}/plan.json" --out="${folder}/c" >/dev/null
job="$(sbatch --parsable --array=0-$((SHARDS - 1)) --output="${folder}/task-%a.txt" "${script}" "${oracle}" "${folder}/c")"

begun() { [[ "$(find "${folder}/c/shards" -name '*.0001' | wc -l)" -ge "$1" ]]; }
# The file of the youngest shard.
youngest() { find "${folder}/c/shards" -name '*.0001' | sort | tail -n 1; }
is_done() { grep -q '"done":true' "$1"; }
interrupted=()
# Each of the two fails where the task has come to its end before: the next attempt meets a younger one.
requeue_youngest() {
  local file index
  file="$(youngest)"
  index="$(basename "${file}" .0001)"
  if is_done "${file}"; then return 1; fi
  scontrol requeue "${job}_$((10#${index}))" || return 1
  sleep $((KILL_WAIT + 1))  # Then it has ended, in order or not.
  ! is_done "${file}" && interrupted+=("${index}")
}
# As where memory is short.
kill_youngest() {
  local file
  file="$(youngest)"
  kill -9 "$(sed -n '1s/.*"pid":\([0-9]*\).*/\1/p' "${file}")" || return 1
  ! is_done "${file}" && interrupted+=("$(basename "${file}" .0001)")
}
await "the first shards" begun 2
await "a task to queue again" requeue_youngest
await "a task to kill" kill_youngest
# It is queued again, and so is what was on its way when the node's daemon dies and comes back.
sleep 1
kill -9 "${node}"
sleep 1
start_node
all_are_done() {
  if [[ "$(sinfo -h -o %T)" == d* ]]; then scontrol update "nodename=${host}" state=resume; fi
  # Its own status tells of findings: the merge is held against that.
  "${oracle}" campaign status "${folder}/c" --json >"${folder}/status.json" || true
  grep -q "\"done\": ${SHARDS}," "${folder}/status.json"
}
await "the end of the array" all_are_done

"${oracle}" campaign merge "${folder}/c" | tee "${folder}/merge.txt" || true
for line in "${SHARDS} of ${SHARDS} done" "findings       none" "found 2 of 2 planted defects"; do
  if ! grep -qF "${line}" "${folder}/merge.txt"; then
    echo "[campaign] the merge does not say \`${line}\`; see above, and the tasks' output:"
    tail -n 5 "${folder}"/task-*.txt
    exit 1
  fi
done
programs="$(sed -n 's/^  "programs": \([0-9]*\),$/\1/p' "${folder}/status.json" | tail -n 1)"
if [[ "${programs}" != $((SHARDS * PROGRAMS)) ]]; then
  echo "[campaign] ${programs} Programs were counted; needed are $((SHARDS * PROGRAMS)), each once"
  exit 1
fi
for index in "${interrupted[@]}"; do
  if [[ ! -e "${folder}/c/shards/${index}.0002" ]]; then
    echo "[campaign] shard ${index} was interrupted and did not go on; needed is its second epoch; there are:"
    ls "${folder}/c/shards"
    exit 1
  fi
done
echo "each of ${programs} Programs counted once, in $(find "${folder}/c/shards" -name '0*' | wc -l) epochs"
