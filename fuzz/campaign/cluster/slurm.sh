#!/bin/bash
# A campaign as a job array of Slurm: each task is a shard.
#
#   sbatch --array=0-39 slurm.sh ORACLE DIR     ORACLE: the built tool; DIR: a planned campaign that all nodes see
#
# A task that is preempted, requeued or whose node has died goes on where it was. Before its time limit it writes its
# checkpoint and asks to be queued again; so it does, a few times, where something has killed it.
#SBATCH --job-name=campaign
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --signal=USR1@60
#SBATCH --open-mode=append
oracle="$1"
folder="$2"
srun --ntasks=1 "${oracle}" campaign run "${folder}" &
step=$!
# To the step alone: this script has to live until the checkpoint is written.
trap 'interrupted=yes; kill -USR1 "${step}" 2>/dev/null' USR1 TERM
wait "${step}"
status=$?
again="${interrupted:-}"
if [[ -n "${interrupted:-}" ]]; then
  wait "${step}"
  status=$?
elif ((status > 128 && ${SLURM_RESTART_COUNT:-0} < 5)); then
  again=yes
fi
if [[ -n "${again}" ]]; then scontrol requeue "${SLURM_JOB_ID}"; fi
exit "${status}"
