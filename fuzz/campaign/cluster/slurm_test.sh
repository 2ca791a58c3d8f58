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
readonly SHARDS=20 PROGRAMS=200

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
KillWait=5
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
await "the first shards" begun 2
scontrol requeue "${job}_0"
await "more shards" begun 5
# A task's process is killed, as where memory is short.
shard="$(find "${folder}/c/shards" -name '0*.0001' | sort | tail -n 1)"
kill -9 "$(sed -n '1s/.*"pid":\([0-9]*\).*/\1/p' "${shard}")"
# It is queued again, and so is what was on its way when the node's daemon dies and comes back.
sleep 1
kill -9 "${node}"
sleep 1
start_node
all_are_done() {
  if [[ "$(sinfo -h -o %T)" == d* ]]; then scontrol update "nodename=${host}" state=resume; fi
  "${oracle}" campaign status "${folder}/c" --json | grep -q "\"done\": ${SHARDS},"
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
programs="$("${oracle}" campaign status "${folder}/c" --json | sed -n 's/^  "programs": \([0-9]*\),$/\1/p')"
if [[ "${programs}" != $((SHARDS * PROGRAMS)) ]]; then
  echo "[campaign] ${programs} Programs were counted; needed are $((SHARDS * PROGRAMS)), each once"
  exit 1
fi
echo "each of ${programs} Programs counted once, in $(find "${folder}/c/shards" -name '0*' | wc -l) epochs"
