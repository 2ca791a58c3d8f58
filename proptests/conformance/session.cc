#include "proptests/conformance/session.h"

#include <csignal>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "autograd/program/print.h"
#include "proptests/conformance/child.h"
#include "proptests/protocol/reply.h"
#include "proptests/workers/process.h"

namespace twingrad::conformance {
namespace {

using protocol::Frame;
using protocol::FrameReader;
using std::chrono::steady_clock;

// Between two looks at the child's memory.
constexpr std::chrono::milliseconds kTick(50);
// From the end of its output to its end.
constexpr std::chrono::seconds kDying(1);
// What something outside has killed so often in a row is not tried again: a Program, and a start,
// for which no Program is to blame.
constexpr int kTries = 5;
constexpr int kStarts = 20;
constexpr uint64_t kMaxErrors = uint64_t{64} << 20;

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string Silence(std::chrono::nanoseconds timeout, const std::string& partial) {
  if (partial.empty()) return absl::StrFormat("no reply after %.3g s", Seconds(timeout));
  return absl::StrFormat("no complete reply after %.3g s, only %s", Seconds(timeout), partial);
}

// What an adapter has written, fit for a terminal: no control characters but ends of lines.
std::string Legible(std::string text) {
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f') c = '.';
  }
  return text;
}

// Waits for one frame. What is wrong, if anything, is told as a Reply.
struct Awaited {
  std::optional<Frame> frame;
  Reply::Kind wrong = Reply::Kind::kProtocol;
  std::string text = {};
  bool killed_by_other = false;
};

Awaited Wrong(Reply::Kind kind, std::string text) { return {std::nullopt, kind, std::move(text)}; }

Awaited Ended(Child& child, bool at_end) {
  if (const auto end = child.Reap(kDying)) {
    return {std::nullopt, Reply::Kind::kCrash,
            absl::StrCat("the adapter ended with ", *end, " before its reply"), child.killed()};
  }
  return Wrong(Reply::Kind::kProtocol,
               at_end ? "[protocol] the adapter closed its standard output and lives on; allowed "
                        "is a reply"
                      : "");
}

Awaited AwaitFrame(Child& child, const SessionOptions& options, std::chrono::nanoseconds timeout) {
  FrameReader reader;
  const auto begin = steady_clock::now();
  bool ended = false;
  while (true) {
    std::string bytes;
    const bool open = child.Pump(kTick, &bytes);
    reader.Feed(bytes);
    absl::StatusOr<std::optional<Frame>> frame = reader.Next();
    if (!frame.ok()) {
      return Wrong(Reply::Kind::kProtocol, std::string(frame.status().message()));
    }
    if (*frame && reader.empty()) return {**std::move(frame)};
    if (*frame) {
      return Wrong(Reply::Kind::kProtocol,
                   "[protocol] bytes follow the reply; allowed is one reply a case; see "
                   "proptests/protocol/README.md");
    }
    // Its end alone does not close the pipe, of which what it has started may hold a copy.
    if (!open || (ended && bytes.empty())) return Ended(child, !open);
    ended = child.Reap(std::chrono::nanoseconds(0)).has_value();
    if (!bytes.empty() && steady_clock::now() - begin < kTick) continue;
    if (steady_clock::now() - begin > timeout) {
      return Wrong(Reply::Kind::kHang, Silence(timeout, reader.Partial()));
    }
    if (const uint64_t size = workers::ResidentSize(child.pid()); size > options.memory) {
      return Wrong(Reply::Kind::kMemory, absl::StrFormat("%d MiB of memory, allowed are %d MiB",
                                                         size >> 20, options.memory >> 20));
    }
    if (child.ErrorSize() > kMaxErrors) {
      return Wrong(Reply::Kind::kProtocol,
                   absl::StrCat("[protocol] more than ", kMaxErrors,
                                " bytes of standard error; allowed are less a case"));
    }
  }
}

// The complaint about a reply to `hello`, or the lack of one.
std::string HandshakeText(const SessionOptions& options, std::string_view wrong) {
  absl::ConsumePrefix(&wrong, "[protocol] ");
  std::string text = absl::StrCat("[protocol] in the handshake with `",
                                  absl::StrJoin(options.command, " "), "`: ", wrong);
  if (!absl::StrContains(wrong, "; allowed ")) {
    absl::StrAppendFormat(&text, "; allowed is `hello 1 ...` within %.3g s",
                          Seconds(options.start_timeout));
  }
  return absl::StrCat(text, "; start that command by hand and type `hello 1`");
}

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() = default;

int Session::pid() const { return child_ == nullptr ? -1 : child_->pid(); }

absl::StatusOr<std::unique_ptr<Session>> Session::Start(SessionOptions options) {
  std::signal(SIGPIPE, SIG_IGN);
  auto session = std::unique_ptr<Session>(new Session(std::move(options)));
  absl::Status status;
  for (int i = 0; i < kStarts; ++i) {
    session->killed_by_other_ = false;
    status = session->Shake();
    if (status.ok()) return session;
    if (!session->killed_by_other_) break;
    ++session->killed_;
  }
  return status;
}

void Session::Renew() { child_.reset(); }

// Takes the hello over, or says what is wrong with it.
absl::Status Session::Greet(const std::optional<Frame>& frame, std::string_view wrong) {
  if (!frame) return absl::UnavailableError(HandshakeText(options_, wrong));
  if (frame->kind != Frame::Kind::kHello) {
    return absl::UnavailableError(
        "[protocol] the first reply is none to `hello`; allowed is `hello 1 ...`; answer the "
        "runner's first line");
  }
  absl::StatusOr<protocol::Hello> hello = protocol::ParseHello(frame->text);
  if (!hello.ok()) return absl::UnavailableError(hello.status().message());
  if (!hello_.name.empty() && !(*hello == hello_)) {
    return absl::UnavailableError(
        "[protocol] hello: another one than at the first start; allowed is the same each time; "
        "make it a constant");
  }
  hello_ = *std::move(hello);
  return absl::OkStatus();
}

absl::Status Session::Shake() {
  absl::StatusOr<std::unique_ptr<Child>> child = Child::Spawn(options_.command);
  if (!child.ok()) return child.status();
  child_ = *std::move(child);
  child_->Write(absl::StrCat("hello ", protocol::kProtocolVersion, "\n"));
  const Awaited awaited = AwaitFrame(*child_, options_, options_.start_timeout);
  const absl::Status status = Greet(awaited.frame, awaited.text);
  if (status.ok()) return status;
  killed_by_other_ = awaited.killed_by_other;
  const std::string said = child_->ErrorTail();
  child_.reset();
  return absl::UnavailableError(absl::StrCat(
      status.message(), said.empty() ? "" : absl::StrCat("; its standard error ends:\n", said)));
}

Reply Session::Fail(Reply::Kind kind, std::string text) {
  Reply reply;
  reply.kind = kind;
  reply.text = Legible(std::move(text));
  if (child_ != nullptr) reply.output = Legible(child_->ErrorTail());
  child_.reset();
  return reply;
}

void Session::Restart() {
  // A child may be killed from outside while it starts, too.
  for (int i = 0; i < kStarts; ++i) {
    ++restarts_;
    killed_by_other_ = false;
    const absl::Status status = Shake();
    if (status.ok()) return;
    failed_ = Fail(Reply::Kind::kCrash,
                   absl::StrCat("the adapter did not start again: ", status.message()));
    if (!killed_by_other_) return;
    ++killed_;
    failed_.reset();
  }
  failed_ = Fail(Reply::Kind::kCrash, "the adapter was killed again and again while it started");
}

// The child has ended between two cases. True: something outside killed it, a fresh one may go on.
bool Session::Bury() {
  const Awaited awaited = Ended(*child_, true);
  if (!awaited.killed_by_other) {
    failed_ = Fail(awaited.wrong, absl::StrCat(awaited.text, ", between two cases"));
    return false;
  }
  ++killed_;
  child_.reset();
  return true;
}

void Session::Send(const twingrad::program::Program& program) {
  program_ = &program;
  text_ = twingrad::program::Print(program);
  failed_.reset();
  ++id_;
  if (child_ != nullptr) {
    // What comes before it is asked for belongs to no case.
    std::string early;
    const bool open = child_->Pump(std::chrono::nanoseconds(0), &early);
    if (!early.empty()) {
      failed_ = Fail(Reply::Kind::kProtocol,
                     "[protocol] output before the case was sent; allowed is one reply a case; see "
                     "proptests/protocol/README.md");
      return;
    }
    if (!open && !Bury()) return;
  }
  if (child_ == nullptr) Restart();
  if (failed_) return;
  child_->ClearErrors();
  child_->Write(protocol::PrintCase(id_, text_));
  child_->Flush();
}

Reply Session::Await() {
  if (failed_) return *std::exchange(failed_, std::nullopt);
  Awaited awaited = AwaitFrame(*child_, options_, options_.timeout);
  killed_by_other_ = awaited.killed_by_other;
  if (!awaited.frame) return Fail(awaited.wrong, std::move(awaited.text));
  Frame& frame = *awaited.frame;
  if (frame.kind == Frame::Kind::kHello) {
    return Fail(Reply::Kind::kProtocol,
                absl::StrCat("[protocol] a second hello; allowed is a reply to case ", id_));
  }
  if (frame.id != id_) {
    return Fail(Reply::Kind::kProtocol,
                absl::StrCat("[protocol] a reply to case ", frame.id, "; allowed is one to case ",
                             id_, "; repeat the number of the case"));
  }
  Reply reply;
  reply.text = std::move(frame.text);
  if (frame.kind == Frame::Kind::kSkip) {
    reply.kind = Reply::Kind::kSkipped;
    reply.text = Legible(std::move(reply.text));
  } else if (frame.kind == Frame::Kind::kError) {
    return Fail(Reply::Kind::kProtocol, absl::StrCat("the adapter failed: ", reply.text));
  } else {
    absl::StatusOr<twingrad::program::Observation> observation =
        protocol::ParseReply(*program_, reply.text);
    if (!observation.ok()) {
      return Fail(Reply::Kind::kProtocol, std::string(observation.status().message()));
    }
    reply.observation = *std::move(observation);
  }
  return reply;
}

Reply Session::Receive() {
  Reply reply = Await();
  // Nobody knows yet that the Program is to blame: once more, and again.
  for (int i = 1; i < kTries && reply.kind == Reply::Kind::kCrash && killed_by_other_; ++i) {
    ++killed_;
    killed_by_other_ = false;
    Send(*program_);
    reply = Await();
  }
  if (reply.kind == Reply::Kind::kCrash && killed_by_other_) reply.kind = Reply::Kind::kMemory;
  return reply;
}

}  // namespace twingrad::conformance
