#include "proptests/workers/channel.h"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

namespace twingrad::workers {

using nlohmann::json;

Channel::~Channel() {
  if (fd_ >= 0) close(fd_);
}

bool Channel::Send(const json& message) {
  // Texts of crashed engines may hold any byte; the replacement keeps the message readable.
  const std::string body = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const uint32_t length = static_cast<uint32_t>(body.size());
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes += body;
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

std::optional<json> Channel::TakeMessage() {
  uint32_t length = 0;
  if (received_.size() < sizeof(length)) return std::nullopt;
  std::memcpy(&length, received_.data(), sizeof(length));
  if (received_.size() - sizeof(length) < length) return std::nullopt;
  json message = json::parse(received_.data() + sizeof(length),
                             received_.data() + sizeof(length) + length, nullptr,
                             /*allow_exceptions=*/false);
  received_.erase(0, sizeof(length) + length);
  return message;
}

std::optional<json> Channel::Receive(bool blocking) {
  while (true) {
    if (std::optional<json> message = TakeMessage()) {
      // A worker that scribbles on its own descriptors sends no JSON; that is no message.
      if (message->is_object()) return message;
      continue;
    }
    if (closed_) return std::nullopt;
    char buffer[1 << 16];
    const ssize_t n = recv(fd_, buffer, sizeof(buffer), blocking ? 0 : MSG_DONTWAIT);
    if (n > 0) {
      received_.append(buffer, static_cast<size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return std::nullopt;
    } else {
      closed_ = true;
    }
  }
}

}  // namespace twingrad::workers
