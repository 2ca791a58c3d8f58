// Signals that end a run in order: Ctrl-C, a closing terminal, and what batch systems send.

#pragma once

namespace twingrad::oracle {

// From now on the first signal is noted; a second one of the same kind ends the process at once
// (workers die with their parent).
void InstallInterrupt();
bool Interrupted();

// Cores that this process may use.
int NumCores();

}  // namespace twingrad::oracle
