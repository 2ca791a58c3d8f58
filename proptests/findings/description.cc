#include "proptests/findings/description.h"

#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace twingrad::findings {
namespace {

using nlohmann::json;

constexpr std::pair<const char*, std::string Description::*> kTexts[] = {
    {"verb", &Description::verb},     {"engine", &Description::engine},
    {"oracle", &Description::oracle}, {"strategy", &Description::strategy},
    {"target", &Description::target}, {"arguments", &Description::arguments},
    {"device", &Description::device},
};
constexpr std::pair<const char*, std::optional<uint64_t> Description::*> kChoices[] = {
    {"seed", &Description::seed},
    {"plant", &Description::plant},
};
constexpr std::pair<const char*, uint64_t Description::*> kNumbers[] = {
    {"schedules", &Description::schedules},
    {"threads", &Description::threads},
    {"timeout_ms", &Description::timeout_ms},
    {"memory_mib", &Description::memory_mib},
};

absl::Status Wrong(std::string_view origin, std::string_view wrong, std::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("[oracle] ", origin, " ", wrong, "; allowed is ", allowed,
                   "; restore the file, or delete it to replay the Program with the defaults"));
}

// What the object says under this name, if it is of this type.
template <typename Value>
absl::Status Read(const json& object, const char* name, std::string_view origin, Value* value) {
  const auto member = object.find(name);
  if (member == object.end()) return absl::OkStatus();
  constexpr bool kIsText = std::is_same_v<Value, std::string>;
  if (kIsText ? member->is_string() : member->is_number_unsigned()) {
    if constexpr (kIsText) {
      *value = member->template get<std::string>();
    } else {
      *value = member->template get<uint64_t>();
    }
    return absl::OkStatus();
  }
  return Wrong(origin, absl::StrCat("has a `", name, "` of type ", member->type_name()),
               kIsText ? "a text" : "a whole number from 0 on");
}

}  // namespace

absl::StatusOr<Description> ParseDescription(std::string_view text, std::string_view origin) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Wrong(origin, "is no JSON object", "what the tool has written");
  Description description;
  absl::Status status;
  const auto read = [&](const auto& members) {
    for (const auto& [name, member] : members) {
      status.Update(Read(object, name, origin, &(description.*member)));
    }
  };
  read(kTexts);
  read(kNumbers);
  for (const auto& [name, member] : kChoices) {
    uint64_t number = 0;
    status.Update(Read(object, name, origin, &number));
    if (object.contains(name)) description.*member = number;
  }
  if (!status.ok()) return status;
  return description;
}

std::string PrintDescription(const Description& description) {
  json object = json::object();
  for (const auto& [name, member] : kTexts) {
    if (!(description.*member).empty()) object[name] = description.*member;
  }
  for (const auto& [name, member] : kChoices) {
    if (description.*member) object[name] = *(description.*member);
  }
  for (const auto& [name, member] : kNumbers) {
    if (description.*member != 0) object[name] = description.*member;
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace twingrad::findings
