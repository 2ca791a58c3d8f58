// Whether the streams of a Program follow each other.
//
//   stream id=s device=dev:0 waits=1    # after all that the stream before has got; or so:
//
//   record_event id=e device=dev:0
//   stream id=t device=dev:0
//   wait_event id=e device=dev:0
//
// Work on streams races unless events order it. Where each `stream` waits, or stands between these
// two statements, all that the Program's own statements queue on a device is in one order (thread
// sections begin and end with idle devices), so that whoever finds a race has found one of the
// engine's.
#pragma once

#include "autograd/program/program.h"

namespace twingrad::program {

bool StreamsFollowEachOther(const Program& program);

}  // namespace twingrad::program
