// One stream waits for another. See order_after.h.
#include "autograd/device/order_after.h"

#include "autograd/device/device_registry.h"

namespace twingrad {

std::unique_ptr<Event> RecordedEvent(Stream stream) {
  std::unique_ptr<Event> event = GetDeviceInterface(stream.device).CreateEvent(stream.device.index);
  event->Record(stream);
  return event;
}

void OrderAfter(Stream later, Stream earlier) {
  if (later == earlier || earlier.device.IsCpu()) return;
  if (later.device.type != earlier.device.type) {
    GetDeviceInterface(earlier.device).Synchronize(earlier);
  } else {
    RecordedEvent(earlier)->MakeWait(later);
  }
}

}  // namespace twingrad
