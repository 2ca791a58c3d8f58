// ProgramStreams: the streams and events of a run, by the handles that its statements give them.
//
//   ProgramStreams streams;
//   streams.Run(statement);         // stream, record_event or wait_event
//
// The n-th stream that a Program names on a device is the n-th of the device's that runs use, so
// that many runs need few streams. A thread section has names of its own; it may also wait for
// events of before. The devices of a Program are idle where its thread sections begin, where they
// have ended, and at its end. One thread.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/device/device_interface.h"
#include "autograd/device/stream.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::runner {

class ProgramStreams {
 public:
  ProgramStreams() = default;
  // Of a thread section. `outer` does not change meanwhile, and outlives this.
  explicit ProgramStreams(const ProgramStreams* outer) : outer_(outer) {}
  ~ProgramStreams() { Leave(); }
  ProgramStreams(const ProgramStreams&) = delete;
  ProgramStreams& operator=(const ProgramStreams&) = delete;

  // Error(kDevice) where this process has no such device.
  void Run(const program::Statement& statement);
  // Makes those streams current again that the thread had before; on that thread.
  void Leave();

 private:
  void MakeCurrent(Device device, const std::string& id, bool waits);
  // Null: the statement that records it has failed.
  Event* Find(const std::string& id) const;

  const ProgramStreams* const outer_ = nullptr;
  std::map<std::pair<Device, std::string>, Stream> streams_;
  std::map<Device, size_t> used_;
  std::map<std::string, std::unique_ptr<Event>> events_;
  std::vector<Stream> before_;  // one a device whose current stream was changed
};

// Of a Program that uses so many devices (program::DevicesOf): waits for all work on them.
void SynchronizeDevices(int devices);
// Whether those devices report each access that nothing orders.
bool ReportEachAccess(int devices);
// What those devices have found of accesses that nothing orders, since the last call.
std::vector<program::StreamReport> TakeStreamReports(int devices);

}  // namespace twingrad::runner
