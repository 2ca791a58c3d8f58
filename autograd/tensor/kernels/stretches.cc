#include "autograd/tensor/kernels/stretches.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "autograd/base/check.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::kernels {
namespace {

// Columns of a tile of a matrix. As many as make a loop worth its call; of a transposed one each is
// a page of its own, of which the rows of the tile read some cache lines.
constexpr int64_t kTileColumns = 32;
// Shorter rows are copied into longer ones, whatever their steps.
constexpr int64_t kShortRow = 16;
// A transposed matrix of so many columns is read in bands: rows that are together one line of the
// caches, by so many columns that their ends cost little, and few enough for the second cache.
constexpr int64_t kLeastBandColumns = 80, kMostBandColumns = 1280;
constexpr int64_t kLine = 64;  // bytes

using Steps = std::array<int64_t, kMostOperands>;

struct Dimension {
  int64_t size = 1;
  Steps step{};
};

template <int64_t kBytes>
void CopyTile(const void* from_data, const Dimension& rows, const Dimension& columns, size_t k,
              int64_t row_count, int64_t column_count, void* to_data, int64_t to_step) {
  const char* const from = static_cast<const char*>(from_data);
  char* const to = static_cast<char*>(to_data);
  const int64_t row_step = rows.step[k], column_step = columns.step[k];
  const auto copy = [&](int64_t i, int64_t j) {
    std::memcpy(to + (i * to_step + j) * kBytes, from + (i * row_step + j * column_step) * kBytes,
                kBytes);
  };
  if (std::abs(row_step) >= std::abs(column_step)) {
    for (int64_t i = 0; i < row_count; ++i) {
      for (int64_t j = 0; j < column_count; ++j) copy(i, j);
    }
    return;
  }
  if constexpr (kBytes >= 4) {
    if (row_step == 1) {
      using T = std::conditional_t<kBytes == 4, float, double>;
      return processor::LoopsInUse().Of<T>().transpose(static_cast<const T*>(from_data),
                                                       column_step, row_count, column_count,
                                                       static_cast<T*>(to_data), to_step);
    }
  }
  for (int64_t j = 0; j < column_count; ++j) {
    for (int64_t i = 0; i < row_count; ++i) copy(i, j);
  }
}

class Walk {
 public:
  Walk(Ints sizes, std::initializer_list<Operand> operands,
       absl::FunctionRef<void(const Block&)> function)
      : operands_(operands), function_(function) {
    AG_DCHECK(operands.size() <= kMostOperands, "more operands than a stretch holds");
    for (size_t d = sizes.size(); d-- > 0;) Include(sizes[d], d);
    if (dimensions_.empty()) dimensions_.push_back({});
    const bool is_matrix = dimensions_.size() > 1;
    columns_ = dimensions_[0];
    if (is_matrix) rows_ = dimensions_[1];
    for (size_t k = 0; k < operands.size(); ++k) {
      const int64_t step = columns_.step[k];
      const bool moves = step != 0 || rows_.step[k] != 0;
      is_copied_[k] = (step != 0 && step != 1) || (moves && is_matrix && columns_.size < kShortRow);
      copies_ |= is_copied_[k];
    }
    first_outer_ = is_matrix ? 2 : 1;
    if (copies_) PlanBands();
  }

  void Run() {
    InlinedVector<int64_t, 4> index(dimensions_.size(), 0);
    Steps at{};
    int64_t offset = 0;
    const int64_t part = columns_.size * rows_.size;
    while (true) {
      if (band_height_ > 0) {
        Bands(at, offset);
      } else if (copies_) {
        Tiles(at, offset);
      } else {
        Give(at, offset);
      }
      offset += part;
      size_t d = first_outer_;
      for (; d < dimensions_.size(); ++d) {
        Move(at, dimensions_[d], 1);
        if (++index[d] < dimensions_[d].size) break;
        Move(at, dimensions_[d], -dimensions_[d].size);
        index[d] = 0;
      }
      if (d >= dimensions_.size()) return;
    }
  }

 private:
  // The next dimension, from the last one on; merged with the one before if it goes on from there.
  void Include(int64_t size, size_t d) {
    if (size == 1) return;
    Dimension dimension{size, {}};
    bool continues = !dimensions_.empty();
    for (size_t k = 0; k < operands_.size(); ++k) {
      dimension.step[k] = operands_.begin()[k].strides[d];
      continues =
          continues && dimension.step[k] == dimensions_.back().step[k] * dimensions_.back().size;
    }
    if (continues) {
      dimensions_.back().size *= size;
    } else {
      dimensions_.push_back(dimension);
    }
  }

  void Move(Steps& at, const Dimension& dimension, int64_t count) const {
    for (size_t k = 0; k < operands_.size(); ++k) at[k] += dimension.step[k] * count;
  }

  const void* Place(size_t k, const Steps& at) const {
    const Operand& operand = operands_.begin()[k];
    return static_cast<const char*>(operand.data) + at[k] * static_cast<int64_t>(operand.element);
  }

  void Give(const Steps& at, int64_t offset) {
    Block block;
    for (size_t k = 0; k < operands_.size(); ++k) {
      block.first.data[k] = Place(k, at);
      block.first.step[k] = columns_.step[k];
    }
    block.first.offset = offset;
    block.first.count = columns_.size;
    block.row_step = rows_.step;
    block.result_step = columns_.size;
    block.rows = rows_.size;
    function_(block);
  }

  void Tiles(const Steps& from, int64_t offset) {
    const int64_t wide = rows_.size == 1 ? kTile : std::max(kTileColumns, kTile / rows_.size);
    const int64_t width = std::min(columns_.size, wide);
    const int64_t height = std::min(rows_.size, kTile / width);
    for (int64_t i = 0; i < rows_.size; i += height) {
      for (int64_t j = 0; j < columns_.size; j += width) {
        Steps at = from;
        Move(at, rows_, i);
        Move(at, columns_, j);
        Tile(at, offset + i * columns_.size + j, std::min(height, rows_.size - i),
             std::min(width, columns_.size - j));
      }
    }
  }

  void Tile(const Steps& at, int64_t offset, int64_t height, int64_t width) {
    bool is_one = width == columns_.size;  // one stretch, for each operand goes on from row to row
    Block block;
    Stretch& stretch = block.first;
    for (size_t k = 0; k < operands_.size(); ++k) {
      stretch.data[k] = Place(k, at);
      stretch.step[k] = is_copied_[k] ? 1 : columns_.step[k];
      block.row_step[k] = is_copied_[k] ? width : rows_.step[k];
      is_one = is_one && block.row_step[k] == stretch.step[k] * width;
      if (is_copied_[k]) {
        Copy(k, stretch.data[k], height, width, tiles_[k], width);
        stretch.data[k] = tiles_[k];
      }
    }
    stretch.offset = offset;
    stretch.count = is_one ? height * width : width;
    block.result_step = columns_.size;
    block.rows = is_one ? 1 : height;
    function_(block);
  }

  // A height, and a width of about equal parts that are whole lines, if an operand is transposed.
  void PlanBands() {
    int64_t element = 0;
    for (size_t k = 0; k < operands_.size(); ++k) {
      if (!is_copied_[k] || rows_.step[k] != 1) continue;
      element = std::max(element, static_cast<int64_t>(operands_.begin()[k].element));
    }
    if (element == 0 || columns_.size < kLeastBandColumns) return;
    band_height_ = std::min(kLine / element, rows_.size);
    const int64_t parts = (columns_.size + kMostBandColumns - 1) / kMostBandColumns;
    band_width_ = ((columns_.size + parts - 1) / parts + kLine - 1) / kLine * kLine;
    int64_t bytes = 0;
    for (size_t k = 0; k < operands_.size(); ++k) {
      if (is_copied_[k]) bytes += band_height_ * BandStep(k);
    }
    bands_ = Tensor::Empty({bytes / static_cast<int64_t>(sizeof(double))}, DType::kF64);
  }

  // Bytes from a row of a band to the next one: an odd number of lines, for those at a power of two
  // from each other displace each other from the caches.
  int64_t BandStep(size_t k) const {
    const auto element = static_cast<int64_t>(operands_.begin()[k].element);
    return (band_width_ * element / kLine | 1) * kLine;
  }

  // Band below band, that pages and lines which two of them share are read again soon.
  void Bands(const Steps& from, int64_t offset) {
    for (int64_t j = 0; j < columns_.size; j += band_width_) {
      for (int64_t i = 0; i < rows_.size; i += band_height_) Band(from, offset, i, j);
    }
  }

  void Band(const Steps& from, int64_t offset, int64_t row, int64_t column) {
    Block block;
    block.rows = std::min(band_height_, rows_.size - row);
    block.result_step = columns_.size;
    Stretch& stretch = block.first;
    stretch.offset = offset + row * columns_.size + column;
    stretch.count = std::min(band_width_, columns_.size - column);
    Steps at = from;
    Move(at, rows_, row);
    Move(at, columns_, column);
    char* to = static_cast<char*>(bands_.mutable_raw_data());
    for (size_t k = 0; k < operands_.size(); ++k) {
      stretch.data[k] = Place(k, at);
      stretch.step[k] = columns_.step[k];
      block.row_step[k] = rows_.step[k];
      if (!is_copied_[k]) continue;
      block.row_step[k] = BandStep(k) / static_cast<int64_t>(operands_.begin()[k].element);
      Copy(k, stretch.data[k], block.rows, stretch.count, to, block.row_step[k]);
      stretch.data[k] = to;
      stretch.step[k] = 1;
      to += band_height_ * BandStep(k);
      if (rows_.step[k] == 1) LookAhead(block, k, from, row + band_height_, column);
    }
    function_(block);
  }

  // Tells where the next band of operand k lies, from `row` and `column` on: by its last row, whose
  // lines are those that were not read with the band before.
  void LookAhead(Block& block, size_t k, const Steps& from, int64_t row, int64_t column) const {
    if (row >= rows_.size) {
      row = 0;
      column += band_width_;
      if (column >= columns_.size) return;
    }
    Steps at = from;
    Move(at, rows_, std::min(row + band_height_, rows_.size) - 1);
    Move(at, columns_, column);
    block.ahead[k] = Place(k, at);
    block.ahead_step[k] = columns_.step[k];
  }

  void Copy(size_t k, const void* from, int64_t height, int64_t width, void* to, int64_t to_step) {
    switch (operands_.begin()[k].element) {
      case 1:
        return CopyTile<1>(from, rows_, columns_, k, height, width, to, to_step);
      case 2:
        return CopyTile<2>(from, rows_, columns_, k, height, width, to, to_step);
      case 4:
        return CopyTile<4>(from, rows_, columns_, k, height, width, to, to_step);
      default:
        return CopyTile<8>(from, rows_, columns_, k, height, width, to, to_step);
    }
  }

  const std::initializer_list<Operand> operands_;
  const absl::FunctionRef<void(const Block&)> function_;
  InlinedVector<Dimension, 4> dimensions_;  // from the last one on
  Dimension columns_, rows_;
  std::array<bool, kMostOperands> is_copied_{};
  bool copies_ = false;
  size_t first_outer_;  // of the dimensions, those that tiles do not cover
  int64_t band_height_ = 0, band_width_ = 0;
  Tensor bands_;
  alignas(64) unsigned char tiles_[kMostOperands][static_cast<size_t>(kTile) * sizeof(double)];
};

}  // namespace

Operand OperandFor(const Tensor& tensor, Ints sizes) {
  return {tensor.raw_data(), ElementSize(tensor.dtype()), StridesFor(tensor, sizes)};
}

void ForEachBlock(Ints sizes, std::initializer_list<Operand> operands,
                  absl::FunctionRef<void(const Block&)> function) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Walk(sizes, operands, function).Run();
}

void ForEachStretch(Ints sizes, std::initializer_list<Operand> operands,
                    absl::FunctionRef<void(const Stretch&)> function) {
  ForEachBlock(sizes, operands, [&](const Block& block) {
    Stretch stretch = block.first;
    for (int64_t i = 0; i < block.rows; ++i) {
      function(stretch);
      stretch.offset += block.result_step;
      for (size_t k = 0; k < operands.size(); ++k) {
        const auto bytes = static_cast<int64_t>(operands.begin()[k].element);
        stretch.data[k] = static_cast<const char*>(stretch.data[k]) + block.row_step[k] * bytes;
      }
    }
  });
}

}  // namespace twingrad::kernels
