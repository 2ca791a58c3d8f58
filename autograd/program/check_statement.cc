// The part of Analyzer that checks statements which are not computed from their operands' types
// alone: leaves, gradients, hooks, calls, custom functions, regions, streams and expectations.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type.h"

namespace twingrad::program {
namespace {

constexpr uint64_t Bit(Key key) { return uint64_t{1} << static_cast<int>(key); }

// What each kind of expectation needs and takes beside kind=.
struct ExpectForm {
  std::string_view kind;
  bool operand;
  uint64_t required;
  uint64_t optional;
};
constexpr ExpectForm kExpectForms[] = {
    {"value", true, 0, Bit(Key::kType) | Bit(Key::kData)},
    {"grad", true, 0, Bit(Key::kType) | Bit(Key::kData)},
    {"undefined", true, 0, 0},
    {"undefined_grad", true, 0, 0},
    {"requires_grad", true, 0, 0},
    {"no_requires_grad", true, 0, 0},
    {"version", true, Bit(Key::kCount), 0},
    {"dependencies", true, Bit(Key::kCount), Bit(Key::kAt)},
    {"executed", true, Bit(Key::kCount), Bit(Key::kAt)},
    {"warnings", false, Bit(Key::kCount), Bit(Key::kAt)},
    {"error", false, Bit(Key::kError), Bit(Key::kAt)},
};

// Whether the type has an element of these bits.
bool IsElement(uint64_t bits, DType dtype) {
  if (IsFloating(dtype)) {
    const double number = std::bit_cast<double>(bits);
    if (std::isnan(number)) return bits == kNanBits;
    return dtype == DType::kF64 || IsRepresentable(number, FormatOf(dtype));
  }
  if (dtype == DType::kI32) return FitsInt32(static_cast<int64_t>(bits));
  return dtype != DType::kBool || bits <= 1;
}

// What is wrong with an element that the type does not have.
std::string WhyNoElement(uint64_t bits, DType dtype) {
  if (dtype == DType::kI32) return "no i32 number; take i64";
  if (dtype == DType::kBool) return "no bool; 0 and 1 go";
  if (std::isnan(std::bit_cast<double>(bits))) {
    return "a NaN with another pattern than 0x7ff8000000000000; that one goes";
  }
  return absl::StrCat("no ", DTypeName(dtype), " number; round it, or take f64");
}

}  // namespace

bool Analyzer::CheckElements(const Bits& bits, DType dtype, Key key) {
  for (size_t i = 0; i < bits.size(); ++i) {
    if (IsElement(bits[i], dtype)) continue;
    std::string element;
    AppendElement(bits[i], dtype, element);
    return fault_.BlameKey(key, "element ", i, " is ", element, ", ", WhyNoElement(bits[i], dtype));
  }
  return true;
}

bool Analyzer::CheckCount(const Bits& data, const TensorType& type, std::string_view allowed) {
  const int64_t count = NumElements(type.shape);
  if (!data.empty() && static_cast<int64_t>(data.size()) == count) return true;
  return fault_.BlameKey(Key::kData, data.size(), " elements for ", TypeText(type), "; ", allowed,
                         count, count == 0 ? ": leave data= out" : "");
}

bool Analyzer::CheckHandle(const std::string& handle, Key key) {
  const auto defined = handles_.find(handle);
  if (defined == handles_.end()) {
    return fault_.BlameKey(key, "handle ", handle,
                           " is not defined; it must be the id= of an earlier hook");
  }
  if (defined->second >= hidden_statements_begin_ && defined->second < hidden_statements_end_) {
    return fault_.BlameKey(key, "handle ", handle,
                           " is defined in a thread section that runs at the same time; handles "
                           "from before the sections go");
  }
  return true;
}

bool Analyzer::CheckLeaf(const Statement& statement) {
  const auto& type = std::get<TensorType>(*statement.Find(Key::kType));
  std::string why;
  if (!WithinLimits(type.shape, &why)) return fault_.BlameKey(Key::kType, why);
  const AttributeValue* const data = statement.Find(Key::kData);
  const AttributeValue* const fill = statement.Find(Key::kFill);
  const AttributeValue* const seed = statement.Find(Key::kSeed);
  if ((data != nullptr) + (fill != nullptr) + (seed != nullptr) > 1) {
    const Key second = data != nullptr && fill != nullptr ? Key::kFill : Key::kSeed;
    return fault_.BlameKey(second,
                           "a second source of elements; a leaf takes one of data=, fill=, seed=");
  }
  if (data != nullptr) {
    const Bits& bits = std::get<Bits>(*data);
    if (!CheckCount(bits, type, "it takes ")) return false;
    if (!CheckElements(bits, type.dtype, Key::kData)) return false;
  }
  if (fill != nullptr && !CheckElements(std::get<Bits>(*fill), type.dtype, Key::kFill)) {
    return false;
  }
  const bool grad = statement.Get<bool>(Key::kGrad);
  if (grad && !IsFloating(type.dtype)) {
    return fault_.BlameKey(Key::kGrad, "a leaf of ", DTypeName(type.dtype),
                           " that requires grad; f16, bf16, f32 and f64 may");
  }
  const auto device = static_cast<DeviceIndex>(statement.Get<int64_t>(Key::kDevice, kCpu));
  AddResult(type, device).is_leaf = grad;
  return true;
}

bool Analyzer::CheckTarget(const Statement& statement, const std::string& action) {
  const AttributeValue* target = statement.Find(Key::kTarget);
  if (action != "register" && action != "remove" && action != "backward") {
    if (target == nullptr) return true;
    return fault_.BlameKey(Key::kTarget, "do=", action, " with target=; it takes none");
  }
  if (target == nullptr) {
    return fault_.BlameKey(Key::kDo, "do=", action, " without target=; it needs ",
                           action == "remove" ? "a handle" : "a value");
  }
  const auto* handle = std::get_if<std::string>(target);
  if (action == "remove") {
    if (handle == nullptr)
      return fault_.BlameKey(Key::kTarget, "target= of do=remove; it is a handle");
    return CheckHandle(*handle, Key::kTarget);
  }
  if (handle != nullptr || std::get<std::vector<ValueId>>(*target).size() != 1) {
    return fault_.BlameKey(Key::kTarget, "target= of do=", action, "; it is one value");
  }
  return true;
}

// do=, by= and target= of hooks, custom functions and saved-tensor hooks.
bool Analyzer::CheckAction(const Statement& statement) {
  const auto& action = std::get<std::string>(*statement.Find(Key::kDo));
  const bool has_factor = statement.Find(Key::kBy) != nullptr;
  if ((action == "scale") != has_factor) {
    return fault_.BlameKey(has_factor ? Key::kBy : Key::kDo, "do=", action,
                           has_factor ? " with" : " without",
                           " by=; do=scale takes it, the others do not");
  }
  // A NaN is not equal to itself, so it could not round-trip.
  if (has_factor && std::isnan(statement.Get<double>(Key::kBy))) {
    return fault_.BlameKey(Key::kBy, "a factor that is no number; any other goes, inf as well");
  }
  return CheckTarget(statement, action);
}

bool Analyzer::CheckHook(const Statement& statement) {
  if (statement.op == Opcode::kRemoveHook) {
    may_be_racy_ = true;
    return CheckHandle(statement.Get<std::string>(Key::kId), Key::kId);
  }
  if (!CheckAction(statement)) return false;
  if (const AttributeValue* id = statement.Find(Key::kId)) {
    if (!handles_.try_emplace(std::get<std::string>(*id), num_statements_).second) {
      return fault_.BlameKey(Key::kId, "handle ", std::get<std::string>(*id),
                             " is defined twice; each hook has its own");
    }
  }
  may_be_racy_ = true;
  return true;
}

bool Analyzer::CheckCall(const Statement& statement) {
  if (statement.op == Opcode::kBackward) {
    // It retains the gradient of an input that is no leaf.
    for (const ValueId input : statement.Get<std::vector<ValueId>>(Key::kInputs)) {
      if (values_[input].is_leaf || !IsOutside(input)) continue;
      return fault_.BlameKey(Key::kInputs,
                             "backward in a thread section retains the gradient of a value from "
                             "outside of it; inputs= may name leaves and the section's own values: "
                             "use grad, or retain_grad before the sections");
    }
    return true;
  }
  const auto& inputs = std::get<std::vector<ValueId>>(*statement.Find(Key::kInputs));
  if (inputs.size() != statement.results.size()) {
    return fault_.BlameKey(Key::kInputs, inputs.size(), " inputs and ", statement.results.size(),
                           " results; grad has one result an input");
  }
  const bool always_defined =
      !statement.Get<bool>(Key::kAllowUnused) || statement.Get<bool>(Key::kMaterialize);
  for (const ValueId input : inputs) {
    ValueInfo& result = AddResult(values_[input].type, values_[input].device);
    if (!always_defined) result.may_be_undefined = true;
  }
  return true;
}

bool Analyzer::CheckGradient(const Statement& statement) {
  // Other sections may be writing what is not the section's own.
  if (IsOutside(statement.operands[0])) {
    return fault_.BlameOperand(0,
                               "a thread section reads, sets, clears or retains .grad of a value "
                               "from outside of it; it may do so with values of its own: do it "
                               "before the sections or after them");
  }
  const ValueInfo& operand = values_[statement.operands[0]];
  if (statement.op == Opcode::kReadGrad) {
    AddResult(operand.type, operand.device).may_be_undefined = true;
  }
  if (statement.op != Opcode::kSetGrad) return true;
  const ValueInfo& grad = values_[statement.operands[1]];
  if (grad.type != operand.type || grad.device != operand.device) {
    return fault_.BlameOperand(
        1, "a .grad of ", TypeText(grad.type), " on ", DeviceText(grad.device),
        "; it is like its value: ", TypeText(operand.type), " on ", DeviceText(operand.device));
  }
  return true;
}

bool Analyzer::CheckCustomInPlace(const Statement& statement) {
  if (!CheckAction(statement)) return false;
  may_be_racy_ = true;
  return CheckWritten(statement.operands[0]);
}

// Results by number, each once, in order.
bool Analyzer::CheckNonDifferentiable(const Statement& statement) {
  const AttributeValue* given = statement.Find(Key::kNonDifferentiable);
  if (given == nullptr) return true;
  const auto& results = std::get<std::vector<int64_t>>(*given);
  int64_t next = 0;
  for (const int64_t result : results) {
    if (result < next || result >= static_cast<int64_t>(statement.results.size())) {
      return fault_.BlameKey(Key::kNonDifferentiable, "result ", result,
                             "; results are counted from 0, here to ", statement.results.size() - 1,
                             ", and stand in their order");
    }
    next = result + 1;
  }
  return !results.empty() ||
         fault_.BlameKey(Key::kNonDifferentiable, "no result; leave the attribute out");
}

bool Analyzer::CheckCustom(const Statement& statement) {
  if (statement.op == Opcode::kCustomInPlace) return CheckCustomInPlace(statement);
  if (statement.results.size() != statement.operands.size()) {
    return fault_.BlameName("custom with ", statement.operands.size(), " operands and ",
                            statement.results.size(), " results; it has one result an operand");
  }
  if (!CheckAction(statement) || !CheckNonDifferentiable(statement)) return false;
  for (const ValueId operand : statement.operands) {
    AddResult(values_[operand].type, values_[operand].device);
  }
  may_be_racy_ = true;
  return true;
}

bool Analyzer::CheckBegin(const Statement& statement) {
  const RegionKind kind = RegionKindOf(statement);
  if (open_regions() >= kMaxNesting) {
    return fault_.BlameName("region number ", kMaxNesting + 1, " inside one another; at most ",
                            kMaxNesting);
  }
  const bool has_action = statement.Find(Key::kDo) != nullptr;
  const bool has_factor = statement.Find(Key::kBy) != nullptr;
  if (has_action != (kind == RegionKind::kSavedTensorHooks) || (has_factor && !has_action)) {
    return fault_.BlameKey(Key::kKind, "kind=", RegionKindName(kind),
                           has_action ? " with" : " without",
                           " do=; kind=saved_tensor_hooks takes do= (and by=), the others do not");
  }
  if (has_action && !CheckAction(statement)) return false;
  const auto next = static_cast<ValueId>(values_.size());
  if (kind == RegionKind::kThread) {
    for (const Region& outer : regions_) {
      if (outer.kind == RegionKind::kThread) {
        return fault_.BlameKey(Key::kKind,
                               "a thread section inside a thread section; they stand side by side");
      }
    }
    if (!after_section_) {
      sections_begin_ = next;
      sections_begin_statement_ = num_statements_;
    }
    hidden_begin_ = sections_begin_;
    hidden_end_ = next;
    hidden_statements_begin_ = sections_begin_statement_;
    hidden_statements_end_ = num_statements_;
    may_be_racy_ = true;
  }
  regions_.push_back({kind, next});
  return true;
}

bool Analyzer::CheckEnd() {
  if (regions_.empty()) return fault_.BlameName("end without begin; it ends the innermost region");
  after_section_ = regions_.back().kind == RegionKind::kThread;
  if (after_section_) {
    section_events_.clear();
    hidden_begin_ = hidden_end_ = 0;
    hidden_statements_begin_ = hidden_statements_end_ = 0;
  }
  regions_.pop_back();
  return true;
}

bool Analyzer::CheckStream(const Statement& statement) {
  if (statement.Get<int64_t>(Key::kDevice) == kCpu) {
    return fault_.BlameKey(Key::kDevice, "the cpu has no streams; dev:0 to dev:7 have");
  }
  const auto id = statement.Get<std::string>(Key::kId);
  if (statement.op == Opcode::kRecordEvent) (IsInSection() ? section_events_ : events_).insert(id);
  if (statement.op == Opcode::kWaitEvent && !events_.contains(id) &&
      !section_events_.contains(id)) {
    return fault_.BlameKey(Key::kId, "event ", id, " is not defined; it must be recorded earlier");
  }
  return true;
}

bool Analyzer::CheckExpectedData(const Statement& statement) {
  const TensorType& actual = values_[statement.operands[0]].type;
  DType written = DType::kF64;
  if (const AttributeValue* type = statement.Find(Key::kType)) {
    if (std::get<TensorType>(*type) != actual) {
      return fault_.BlameKey(Key::kType, "the value is ", TypeText(actual), "; type= must say so");
    }
    written = actual.dtype;
  }
  const AttributeValue* data = statement.Find(Key::kData);
  if (data == nullptr) return true;
  if (statement.Find(Key::kType) == nullptr && !IsFloating(actual.dtype)) {
    return fault_.BlameKey(Key::kData, "data= for a value of ", TypeText(actual),
                           "; give type=", TypeText(actual), " as well");
  }
  const Bits& bits = std::get<Bits>(*data);
  return CheckCount(bits, actual, "it has ") && CheckElements(bits, written, Key::kData) &&
         CheckElements(bits, actual.dtype, Key::kData);
}

bool Analyzer::CheckExpect(const Statement& statement) {
  const auto kind = statement.Get<std::string>(Key::kKind);
  const auto* form = std::find_if(std::begin(kExpectForms), std::end(kExpectForms),
                                  [&](const ExpectForm& f) { return f.kind == kind; });
  if (form->operand == statement.operands.empty()) {
    return fault_.BlameKey(
        Key::kKind, "kind=", kind,
        form->operand ? " without a value; it is about one" : " with a value; it takes none");
  }
  for (const Key key : {Key::kType, Key::kData, Key::kCount, Key::kError, Key::kAt}) {
    const bool given = statement.Find(key) != nullptr;
    if (!given && (form->required & Bit(key)) != 0) {
      return fault_.BlameKey(Key::kKind, "kind=", kind, " without ", KeyName(key),
                             "=; it needs this attribute");
    }
    if (given && ((form->required | form->optional) & Bit(key)) == 0) {
      return fault_.BlameKey(key, "kind=", kind, " with ", KeyName(key), "=; it takes none");
    }
  }
  if (statement.Get<int64_t>(Key::kCount) < 0) {
    return fault_.BlameKey(Key::kCount, "a negative count; 0 or more go");
  }
  if (const AttributeValue* at = statement.Find(Key::kAt)) {
    const int64_t index = std::get<int64_t>(*at);
    if (index < 0 || index >= num_statements_) {
      return fault_.BlameKey(Key::kAt, "at=", index,
                             "; it is the index of an earlier statement, counted from 0");
    }
    if (kind != "error" && !std::binary_search(calls_.begin(), calls_.end(), index)) {
      return fault_.BlameKey(Key::kAt, "statement ", index, " is no call; kind=", kind,
                             " is about a backward or grad");
    }
  } else if ((form->optional & Bit(Key::kAt)) != 0 && kind != "error" && calls_.empty()) {
    return fault_.BlameKey(Key::kKind, "kind=", kind,
                           " before any call; it is about the latest backward or grad");
  }
  return (form->optional & Bit(Key::kData)) == 0 || CheckExpectedData(statement);
}

bool Analyzer::CheckSpecial(const Statement& statement, const Signature& signature) {
  switch (signature.category) {
    case Category::kLeaf:
      return CheckLeaf(statement);
    case Category::kGradient:
      return CheckGradient(statement);
    case Category::kHook:
      return CheckHook(statement);
    case Category::kCall:
      return CheckCall(statement);
    case Category::kCustom:
      return CheckCustom(statement);
    case Category::kRegion:
      return statement.op == Opcode::kBegin ? CheckBegin(statement) : CheckEnd();
    case Category::kStream:
      return CheckStream(statement);
    default:
      return CheckExpect(statement);
  }
}

}  // namespace twingrad::program
