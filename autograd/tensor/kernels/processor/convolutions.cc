#include "autograd/tensor/kernels/processor/convolutions.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dnnl.hpp>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/processor/one_thread.h"

namespace twingrad::processor {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;

// The three tensors as oneDNN counts them; with groups the weights have a dimension more.
struct Sizes {
  explicit Sizes(const Convolution& of)
      : wide{of.samples, of.groups * of.depth}, narrow{of.samples, of.groups * of.results} {
    if (of.groups > 1) weights.push_back(of.groups);
    weights.insert(weights.end(), {of.results, of.depth});
    for (const Convolution::Axis& axis : of.axes) {
      wide.push_back(axis.size);
      weights.push_back(axis.entries);
      narrow.push_back(axis.windows);
      strides.push_back(axis.stride);
      holes.push_back(axis.dilation - 1);
      before.push_back(axis.padding);
      const int64_t extent = (axis.entries - 1) * axis.dilation + 1;
      after.push_back((axis.windows - 1) * axis.stride + extent - axis.size - axis.padding);
    }
  }
  Dims wide, weights, narrow;
  Dims strides, holes, before, after;
};

memory::desc Free(const Dims& dims) { return {dims, memory::data_type::f32, Tag::any}; }

memory::desc RowMajor(const Dims& dims) {
  Dims strides(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = step;
    step *= dims[d];
  }
  return {dims, memory::data_type::f32, strides};
}

// A primitive, and its operands as it wants them: wide, weights, narrow. oneDNN keeps what it has
// compiled for the last shapes, so that only the first one of a shape is dear to build.
struct Primitive {
  dnnl::primitive run;
  memory::desc wanted[3];
  bool is_fast = false;
};

bool IsFast(const dnnl::primitive_desc_base& found) {
  return std::strncmp(found.impl_info_str(), "ref", 3) != 0;
}

Primitive Build(ConvolutionPart part, const Sizes& sizes, const dnnl::engine& engine) {
  using dnnl::algorithm;
  const memory::desc wide = Free(sizes.wide), weights = Free(sizes.weights),
                     narrow = Free(sizes.narrow);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm::convolution_direct, wide, weights, narrow,
       sizes.strides, sizes.holes, sizes.before, sizes.after},
      engine);
  if (part == ConvolutionPart::kNarrow) {
    return {dnnl::convolution_forward(forward),
            {forward.src_desc(), forward.weights_desc(), forward.dst_desc()},
            IsFast(forward)};
  }
  if (part == ConvolutionPart::kWide) {
    const dnnl::convolution_backward_data::primitive_desc back(
        {algorithm::convolution_direct, wide, weights, narrow, sizes.strides, sizes.holes,
         sizes.before, sizes.after},
        engine, forward);
    return {dnnl::convolution_backward_data(back),
            {back.diff_src_desc(), back.weights_desc(), back.diff_dst_desc()},
            IsFast(back)};
  }
  const dnnl::convolution_backward_weights::primitive_desc back(
      {algorithm::convolution_direct, wide, weights, narrow, sizes.strides, sizes.holes,
       sizes.before, sizes.after},
      engine, forward);
  return {dnnl::convolution_backward_weights(back),
          {back.src_desc(), back.diff_weights_desc(), back.diff_dst_desc()},
          IsFast(back)};
}

struct Operand {
  int name;  // what the primitive calls it
  memory given;
  bool is_made;
};

memory MemoryFor(const memory::desc& wanted, const dnnl::engine& engine, Scratch scratch) {
  const size_t count = (wanted.get_size() + sizeof(float) - 1) / sizeof(float);
  return memory(wanted, engine, scratch(static_cast<int64_t>(count)));
}

void Run(const Primitive& primitive, const dnnl::engine& engine, const Operand (&operands)[3],
         Scratch scratch) {
  dnnl::stream stream(engine);
  std::unordered_map<int, memory> arguments;
  for (size_t i = 0; i < 3; ++i) {
    const Operand& operand = operands[i];
    memory given = operand.given;
    const bool fits = given.get_desc() == primitive.wanted[i];
    memory taken = fits ? given : MemoryFor(primitive.wanted[i], engine, scratch);
    if (!fits && !operand.is_made) {
      dnnl::reorder(given, taken).execute(stream, given, taken);
    }
    arguments.emplace(operand.name, std::move(taken));
  }
  primitive.run.execute(stream, arguments);
  for (const Operand& operand : operands) {
    memory& made = arguments.at(operand.name);
    memory given = operand.given;
    if (operand.is_made && made.get() != given.get()) {
      dnnl::reorder(made, given).execute(stream, made, given);
    }
  }
  stream.wait();
}

}  // namespace

int64_t Convolution::Multiplications() const {
  int64_t count = samples * groups * depth * results;
  for (const Axis& axis : axes) count *= axis.entries * axis.windows;
  return count;
}

bool Convolution::EachWindowMeetsThePlane() const {
  return std::all_of(axes.begin(), axes.end(), [](const Axis& axis) {
    for (int64_t window = 0; window < axis.windows; ++window) {
      bool meets = false;
      for (int64_t entry = 0; entry < axis.entries; ++entry) {
        const int64_t at = window * axis.stride + entry * axis.dilation - axis.padding;
        meets |= at >= 0 && at < axis.size;
      }
      if (!meets) return false;
    }
    return true;
  });
}

bool Convolve(ConvolutionPart part, const Convolution& of, const ConvolutionOperands& operands,
              float* out, Scratch scratch) {
  const OneThread one_thread;
  try {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const Sizes sizes(of);
    const Primitive primitive = Build(part, sizes, engine);
    if (!primitive.is_fast) return false;
    // One name where it is read and another where it is made.
    const auto operand = [&](int read, int write, ConvolutionPart made, const Dims& dims,
                             const float* data) {
      const bool is_made = part == made;
      return Operand{is_made ? write : read,
                     memory(RowMajor(dims), engine, is_made ? out : const_cast<float*>(data)),
                     is_made};
    };
    Run(primitive, engine,
        {operand(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, ConvolutionPart::kWide, sizes.wide,
                 operands.wide),
         operand(DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, ConvolutionPart::kWeights, sizes.weights,
                 operands.weights),
         operand(DNNL_ARG_DIFF_DST, DNNL_ARG_DST, ConvolutionPart::kNarrow, sizes.narrow,
                 operands.narrow)},
        scratch);
  } catch (const dnnl::error& error) {
    throw Error(
        ErrorKind::kInternal,
        absl::StrCat("[convolution] oneDNN ends with status ", static_cast<int>(error.status), " (",
                     error.message, ") for ", of.samples, " samples of ", of.groups * of.depth,
                     " channels; it takes all sizes for which there is memory; use "
                     "smaller ones"));
  }
  return true;
}

}  // namespace twingrad::processor
