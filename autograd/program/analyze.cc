#include "autograd/program/analyze.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/program/element_text.h"
#include "autograd/program/equation.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/parts.h"
#include "autograd/program/print.h"
#include "autograd/program/racy.h"
#include "autograd/program/result_type.h"
#include "autograd/program/sparse.h"

namespace twingrad::program {
namespace {

std::string CountText(int least, int most) {
  if (least == most) return absl::StrCat(least);
  return absl::StrCat(least, " to ", most);
}

absl::Status ErrorIn(const Program& program, int statement, const Fault& fault) {
  const int line = statement + 2;  // after the header
  if (statement >= static_cast<int>(program.statements.size())) {
    return ErrorAt(line, 1, fault.text);
  }
  return ErrorAt(line, ColumnOf(fault, PrintStatement(program, statement)), fault.text);
}

// Room for the values of most Programs.
constexpr size_t kUsualValues = 32;

// Whether the statement may look at the whole graph so far. `end` does not, so that each region can
// be closed.
bool Looks(Opcode op) {
  const Category category = SignatureOf(op).category;
  return category != Category::kLeaf && op != Opcode::kEnd && !IsComputed(category);
}

// Checks that each value has a name, and that the names are well-formed and distinct.
absl::Status CheckNames(const Program& program, absl::Span<const ValueInfo> values) {
  if (program.names.size() != values.size()) {
    return ErrorAt(1, 1,
                   absl::StrCat("the Program has ", program.names.size(), " names and ",
                                values.size(), " values; each value has a name"));
  }
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(program.names.size());
  for (size_t i = 0; i < program.names.size(); ++i) {
    const std::string& name = program.names[i];
    const bool is_new = seen.insert(name).second;
    if (IsName(name) && is_new) continue;
    const int statement = values[i].statement;
    const int place = static_cast<int>(i) - program.statements[statement].results[0];
    const std::string why =
        IsName(name) ? absl::StrCat("%", name, " is defined twice; each value is defined once")
                     : absl::StrCat("name ", Quoted(name),
                                    "; 1 to 64 of A-Z a-z 0-9 _ and . go, but for _ alone");
    return ErrorIn(program, statement, {Fault::Place::kResult, place, Key::kType, why});
  }
  return absl::OkStatus();
}

// `devices`: those of earlier values.
DeviceIndex DeviceOfResult(const Statement& statement, size_t result,
                           const std::vector<DeviceIndex>& devices) {
  switch (SignatureOf(statement.op).category) {
    case Category::kLeaf:
      return static_cast<DeviceIndex>(statement.Get<int64_t>(Key::kDevice, kCpu));
    case Category::kCall:
      return devices[std::get<std::vector<ValueId>>(*statement.Find(Key::kInputs))[result]];
    case Category::kCustom:
      return devices[statement.operands[result]];
    default:
      if (statement.op != Opcode::kTo) return devices[statement.operands[0]];
      return static_cast<DeviceIndex>(statement.Get<int64_t>(Key::kDevice));
  }
}

}  // namespace

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && name != "_" &&
         std::ranges::all_of(
             name, [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; });
}

bool Analyzer::CheckCounts(const Statement& statement, const Signature& signature) {
  // Each open region, including one that begins here, still needs its `end`.
  const int ends = open_regions() + (statement.op == Opcode::kBegin ? 1 : 0);
  if (statement.op != Opcode::kEnd && num_statements_ + ends >= kMaxStatements) {
    return fault_.BlameName("statement number ", num_statements_ + 1, "; a Program has at most ",
                            kMaxStatements);
  }
  if (Looks(statement.op) && looks_ + num_statements_ > kMaxLooks) {
    return fault_.BlameName(
        signature.name, " after ", num_statements_,
        " statements; only leaves and ops go here: calls, hooks, regions and what else may look at "
        "the whole graph have had ",
        looks_, " statements before them, and at most ", kMaxLooks, " go");
  }
  const int operands = static_cast<int>(statement.operands.size());
  if (operands < signature.min_operands || operands > signature.max_operands) {
    return fault_.BlameName(signature.name, " with ", operands, " operands; it takes ",
                            CountText(signature.min_operands, signature.max_operands));
  }
  const int results = static_cast<int>(statement.results.size());
  if (results < signature.min_results || results > signature.max_results) {
    return fault_.BlameName(signature.name, " with ", results, " results; it has ",
                            CountText(signature.min_results, signature.max_results));
  }
  for (int i = 0; i < results; ++i) {
    if (statement.results[i] != static_cast<ValueId>(values_.size()) + i) {
      return fault_.Blame(Fault::Place::kResult, i, Key::kType, "result has id ",
                          statement.results[i], "; the next id is ", values_.size() + i);
    }
  }
  return true;
}

bool Analyzer::CheckArgument(const AttributeSpec& spec, const AttributeValue& value) {
  if (!HasFormat(spec.format, value)) {
    return fault_.BlameKey(spec.key, KeyName(spec.key),
                           "= holds another kind of argument; see the table of statements");
  }
  if (IsDefault(spec, value)) {
    return fault_.BlameKey(spec.key, KeyName(spec.key),
                           "= holds its default; such attributes are left out");
  }
  switch (spec.format) {
    case Format::kFlag:
    case Format::kInteger:
    case Format::kNumber:
    case Format::kIntegers:
    case Format::kElements:
    case Format::kElement:
    case Format::kType:
    case Format::kDType:
      return true;
    case Format::kWord:
      if (IsWord(spec.words, std::get<std::string>(value))) return true;
      return fault_.BlameKey(spec.key, KeyName(spec.key), "=", Quoted(std::get<std::string>(value)),
                             "; it is one of: ", spec.words);
    case Format::kEquation:
      if (ParseEquation(std::get<std::string>(value))) return true;
      return fault_.BlameKey(spec.key, KeyName(spec.key), "=", Quoted(std::get<std::string>(value)),
                             "; it is labels a to z of each operand and the result: ij,jk->ik");
    case Format::kName:
    case Format::kTarget:
    case Format::kValues:
      if (const auto* name = std::get_if<std::string>(&value)) return CheckName(*name, spec.key);
      return CheckValues(std::get<std::vector<ValueId>>(value), spec.key);
    case Format::kDevice: {
      const int64_t device = std::get<int64_t>(value);
      if (device >= kCpu && device < kMaxDevices) return true;
      return fault_.BlameKey(spec.key, "device ", device,
                             "; cpu or dev:0 to dev:", kMaxDevices - 1);
    }
  }
  return true;
}

bool Analyzer::CheckName(const std::string& name, Key key) {
  if (IsName(name)) return true;
  return fault_.BlameKey(key, "handle ", Quoted(name), "; 1 to 64 of A-Z a-z 0-9 _ and . go");
}

bool Analyzer::CheckValues(const std::vector<ValueId>& values, Key key) {
  if (values.size() > static_cast<size_t>(kMaxOperands)) {
    return fault_.BlameKey(key, values.size(), " values; at most ", kMaxOperands);
  }
  for (const ValueId id : values) {
    if (id == kNoValue && key == Key::kSeeds) continue;
    if (!CheckVisible(id, Fault::Place::kAttribute, 0, key)) return false;
    if (!values_[id].sparse.has_value()) continue;
    return fault_.BlameKey(key, KeyName(key),
                           "= names a sparse tensor; dense ones go: use to_dense");
  }
  return true;
}

bool Analyzer::CheckAttributes(const Statement& statement, const Signature& signature) {
  auto next = statement.attributes.begin();
  const auto end = statement.attributes.end();
  for (const AttributeSpec& spec : signature.attributes) {
    if (next != end && next->key == spec.key) {
      if (!CheckArgument(spec, next->value)) return false;
      ++next;
    } else if (spec.otherwise == Default::kRequired && statement.Find(spec.key) == nullptr) {
      return fault_.BlameName(signature.name, " without ", KeyName(spec.key),
                              "=; it needs this attribute");
    }
  }
  if (next == end) return true;
  const Key key = next->key;
  if (signature.Find(key) == nullptr) {
    return fault_.BlameName(signature.name, " has no attribute ", KeyName(key),
                            "=; see the table of statements");
  }
  return fault_.BlameKey(
      key, KeyName(key),
      "= is given twice or out of order; attributes stand in the order of the table of statements");
}

bool Analyzer::CheckVisible(ValueId value, Fault::Place place, int index, Key key) {
  if (value < 0 || value >= static_cast<ValueId>(values_.size())) {
    return fault_.Blame(place, index, key, "value id ", value, " is not defined; ids 0 to ",
                        static_cast<int64_t>(values_.size()) - 1, " are");
  }
  if (value >= hidden_begin_ && value < hidden_end_) {
    return fault_.Blame(place, index, key,
                        "the value is defined in a thread section that runs at the same time; "
                        "values from before the sections go");
  }
  return true;
}

bool Analyzer::CheckWritten(ValueId value) {
  const ValueInfo& info = values_[value];
  if (IsOutside(info.storage)) {
    return fault_.BlameOperand(0,
                               "a thread section writes to a value from outside of it; it may "
                               "write to values of its own: clone it there");
  }
  return true;
}

bool Analyzer::IsOutside(ValueId value) const {
  return std::ranges::any_of(regions_, [&](const Region& region) {
    return region.kind == RegionKind::kThread && value < region.first_value;
  });
}

bool Analyzer::IsInSection() const {
  return std::ranges::any_of(
      regions_, [](const Region& region) { return region.kind == RegionKind::kThread; });
}

ValueInfo& Analyzer::AddResult(const TensorType& type, DeviceIndex device) {
  const auto id = static_cast<ValueId>(values_.size());
  ValueInfo& info = values_.emplace_back();
  info.type = type;
  info.device = device;
  info.statement = num_statements_;
  info.storage = id;
  for (const Region& region : regions_) {
    const bool ends_early = region.kind == RegionKind::kTry || region.kind == RegionKind::kThread;
    if (ends_early) info.may_be_undefined = true;
  }
  return info;
}

bool Analyzer::CheckSparse(const Statement& statement, const Signature& signature) {
  const Opcode op = statement.op;
  for (size_t i = 0; i < statement.operands.size(); ++i) {
    const std::optional<SparseInfo>& sparse = values_[statement.operands[i]].sparse;
    if (op == Opcode::kExpect) continue;
    if (!TakesSparse(op) && sparse.has_value()) {
      return fault_.BlameOperand(i, signature.name,
                                 " takes no sparse tensor; coalesce, to_dense, sparse_values, "
                                 "sparse_indices and expect do: use to_dense");
    }
    if (TakesSparse(op) && !sparse.has_value()) {
      return fault_.BlameOperand(i, signature.name,
                                 " takes no dense tensor; what sparse_coo and coalesce give goes");
    }
    if (TakesCoalesced(op) && !sparse->is_coalesced) {
      return fault_.BlameOperand(i, signature.name,
                                 " takes what coalesce gives, no other sparse tensor; coalesce it");
    }
  }
  return true;
}

bool Analyzer::CheckComputed(const Statement& statement, const Signature& signature) {
  absl::InlinedVector<const TensorType*, 3> types;
  for (const ValueId operand : statement.operands) types.push_back(&values_[operand].type);
  const ValueInfo& first = values_[statement.operands[0]];
  if (first.sparse.has_value()) types.push_back(&first.sparse->indices);
  for (size_t i = 1; i < statement.operands.size(); ++i) {
    const DeviceIndex device = values_[statement.operands[i]].device;
    if (device != first.device) {
      return fault_.BlameOperand(i, "operands on ", DeviceText(first.device), " and ",
                                 DeviceText(device),
                                 "; they must be on one device: copy one with to");
    }
  }
  TensorType type;
  if (!Inference(statement, types, &type, &work_, &fault_).Run()) return false;
  if (signature.category == Category::kInPlace) return CheckWritten(statement.operands[0]);
  const bool shares = signature.category == Category::kView || statement.op == Opcode::kDetach;
  for (size_t k = 0; k < statement.results.size(); ++k) {
    if (k > 0 && MayGiveIndices(statement.op)) {
      type.dtype = DType::kI64;
    } else if (k > 0) {
      type.shape = PartShape(statement, first.type.shape, k);
    }
    ValueInfo& result = AddResult(type, first.device);
    if (shares) result.storage = first.storage;
    if (statement.op == Opcode::kSparseCoo) {
      result.sparse = SparseInfo{*types[1]};
    } else if (statement.op == Opcode::kCoalesce) {
      const int64_t dims = types[1]->shape[0], entries = statement.Get<int64_t>(Key::kCount);
      result.sparse = SparseInfo{{DType::kI64, {dims, entries}}, /*is_coalesced=*/true};
    }
    if (statement.op == Opcode::kTo) {
      result.device = static_cast<DeviceIndex>(statement.Get<int64_t>(Key::kDevice));
    }
  }
  return true;
}

bool Analyzer::Charge(size_t first) {
  int64_t total = total_elements_ + work_;
  for (size_t i = first; i < values_.size(); ++i) total += NumElements(values_[i].type.shape);
  if (total > kMaxTotalElements) {
    return fault_.BlameName("the values so far have ", total,
                            " elements, products of matmul included; a Program may have ",
                            kMaxTotalElements);
  }
  total_elements_ = total;
  return true;
}

void Analyzer::Commit(const Statement& statement, Category category) {
  if (statement.op != Opcode::kEnd) after_section_ = false;
  if (category == Category::kCall) calls_.push_back(num_statements_);
  if (Looks(statement.op)) looks_ += num_statements_;
  ++num_statements_;
}

bool Analyzer::Check(const Statement& statement, const Signature& signature) {
  for (size_t i = 0; i < statement.operands.size(); ++i) {
    if (!CheckVisible(statement.operands[i], Fault::Place::kOperand, static_cast<int>(i),
                      Key::kType)) {
      return false;
    }
  }
  if (!CheckAttributes(statement, signature)) return false;
  if (!CheckSparse(statement, signature)) return false;
  return IsComputed(signature.category) ? CheckComputed(statement, signature)
                                        : CheckSpecial(statement, signature);
}

bool Analyzer::Add(const Statement& statement) {
  if (static_cast<int>(statement.op) >= kNumOpcodes) return fault_.BlameName("unknown statement");
  const Signature& signature = SignatureOf(statement.op);
  if (!CheckCounts(statement, signature)) return false;
  work_ = 0;
  const size_t before = values_.size();
  // Room for the results, so that what the checks refer to stays where it is.
  const size_t after = before + statement.results.size();
  if (after > values_.capacity()) values_.reserve(std::max<size_t>(2 * after, kUsualValues));
  if (!Check(statement, signature) || !Charge(before)) {
    values_.erase(values_.begin() + static_cast<int64_t>(before), values_.end());
    return false;
  }
  Commit(statement, signature.category);
  return true;
}

bool Analyzer::Finish() {
  if (regions_.empty()) return true;
  return fault_.BlameName(regions_.size(), " regions are open at the end; each begin needs an end");
}

absl::StatusOr<Analysis> Analyze(const Program& program) {
  Analyzer analyzer;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (!analyzer.Add(program.statements[i])) {
      return ErrorIn(program, static_cast<int>(i), analyzer.fault());
    }
  }
  if (!analyzer.Finish()) {
    return ErrorIn(program, static_cast<int>(program.statements.size()), analyzer.fault());
  }
  if (absl::Status names = CheckNames(program, analyzer.values()); !names.ok()) return names;
  Analysis analysis;
  analysis.total_elements = analyzer.total_elements();
  analysis.racy = analyzer.may_be_racy() && IsRacy(program);
  analysis.values = analyzer.TakeValues();
  return analysis;
}

absl::Status Validate(const Program& program) { return Analyze(program).status(); }

std::vector<DeviceIndex> DevicesOfValues(const Program& program) {
  std::vector<DeviceIndex> devices;
  devices.reserve(program.names.size());
  for (const Statement& statement : program.statements) {
    for (size_t k = 0; k < statement.results.size(); ++k) {
      devices.push_back(DeviceOfResult(statement, k, devices));
    }
  }
  return devices;
}

int DevicesOf(const Program& program) {
  int64_t devices = 0;
  for (const Statement& statement : program.statements) {
    devices = std::max(devices, statement.Get<int64_t>(Key::kDevice, kCpu) + 1);
  }
  return static_cast<int>(devices);
}

}  // namespace twingrad::program
