// OrderAfter: one stream waits for another.
//
//   OrderAfter(CurrentStream(to), CurrentStream(from));   // what `to` gets next comes after
#pragma once

#include <memory>

#include "autograd/device/device_interface.h"
#include "autograd/device/stream.h"

namespace twingrad {

// The point after all that `stream` has got so far. Not of the CPU, whose work is done.
std::unique_ptr<Event> RecordedEvent(Stream stream);

// Work that `later` gets from now on comes after all that `earlier` has got. Nothing happens where
// they are one stream, or `earlier` is the CPU; the host waits where `later` is the CPU, or a
// device of another type, which could not.
void OrderAfter(Stream later, Stream earlier);

}  // namespace twingrad
