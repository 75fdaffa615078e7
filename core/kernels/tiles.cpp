// Runs short programs of elementwise loops tile by tile.
// The loops are elementwise.hpp's and cast.hpp's; threads are left to the caller.
#include "kernels/tiles.hpp"

#include <algorithm>

namespace wend {
namespace {

constexpr int64_t kTile = 1024;         // elements
constexpr int64_t kLongRow = 128;       // elements from which a tile ends with a row
constexpr int64_t kScratch = 64 << 10;  // bytes of all tiles ...
constexpr int64_t kAlignment = 64;      // ... each of which begins at a multiple of this

}  // namespace

// Where all places are now, for one thread.
struct TileProgram::Frame {
  char* at[kPlaces];
  int64_t step[kPlaces];
  char* tile_of[kGathered];
  int64_t phase[kGathered], filled[kGathered];  // where in its row a tile begins, and its elements
  bool in_place[kGathered];                     // the tile is the row itself
  int64_t stride[kSteps][kOperands];            // of the operands of each step
  alignas(64) char scratch[kScratch];
};

TileProgram::Place TileProgram::reordered(Strided operand, std::span<const int64_t> sizes,
                                          bool written) {
  const int64_t size = size_of(operand.dtype);
  IterationOf<2> it;
  it.begin(sizes_);
  it.add(nullptr, strides_, sizes_, 1);
  it.add(operand.data, operand.strides, sizes, size);
  it.simplify();
  if (it.ndim == 1 && it.stride[1][0] == size) return in_order(operand.data, size);
  Rows& rows = rows_[n_rows_++];
  rows.it = it;
  rows.dtype = operand.dtype;
  rows.periodic = !written && it.ndim == 2 && it.stride[1][0] == 0;
  rows.written = written;
  rows.begins = nullptr;
  return rows.place = tile(size);
}

TileProgram::Place TileProgram::rows(char* const* begins, int64_t elements, DType dtype) {
  Rows& rows = rows_[n_rows_++];
  rows.it = {};
  rows.it.begin(std::span(&elements, 1));
  rows.it.operands = 2;
  rows.it.stride[1][0] = size_of(dtype);
  rows.dtype = dtype;
  rows.periodic = rows.written = false;
  rows.begins = begins;
  return rows.place = tile(size_of(dtype));
}

// Calls body(pointer, count) for the parts of rows that hold the elements [begin, end).
template <class Body>
void TileProgram::Rows::runs(int64_t begin, int64_t end, Body&& body) const {
  if (!begins)
    return it.runs(begin, end, end - begin, [&](char** at, int64_t count) { body(at[1], count); });
  const int64_t inner = it.inner(), size = size_of(dtype);
  for (int64_t row = begin / inner, first = begin % inner; begin < end; ++row, first = 0) {
    const int64_t count = std::min(end - begin, inner - first);
    body(begins[row] + first * size, count);
    begin += count;
  }
}

// Of `row` elements each in the program; those of the operand are taken where they are.
void TileProgram::Rows::look_for_steps(int64_t row) {
  const int64_t step = it.step(1);
  in_step = it.inner() == row && it.ndim <= 2 && (step == 0 || step == size_of(dtype));
  apart = it.ndim == 2 ? it.stride[1][0] : 0;
}

void TileProgram::add(Loop loop, std::span<const Place> operands) {
  Step& step = steps_[n_steps_++];
  step.loop = loop;
  std::ranges::fill(step.at, operands[0]);
  std::ranges::copy(operands, step.at);
}

void TileProgram::add(Cast cast, Place to, Place from) {
  Step& step = steps_[n_steps_++];
  step.loop = nullptr;
  step.cast = cast;
  std::ranges::fill(step.at, to);
  step.at[1] = from;
}

// Tiles hold whole rows of operands that must be gathered, or parts of one.
void TileProgram::settle() {
  int64_t bytes = 1, scratch = kScratch;
  for (int p = 0; p < n_places_; ++p) {
    if (places_[p].base || p == sink_) continue;
    bytes += places_[p].step;
    scratch -= kAlignment;
  }
  tile_ = row_ = std::min(kTile, scratch / bytes & -64);
  if (n_rows_ == 0) return;
  int64_t inner = rows_[0].it.inner();
  for (int i = 1; i < n_rows_; ++i) inner = std::min(inner, rows_[i].it.inner());
  if (inner < kLongRow && inner <= tile_) {
    tile_ = row_ = tile_ / inner * inner;
  } else {
    const int64_t parts = (inner + tile_ - 1) / tile_;
    tile_ = (inner + parts - 1) / parts;
    row_ = inner;
    for (Rows& rows : std::span(rows_, n_rows_)) rows.look_for_steps(row_);
    const auto others =
        std::partition(rows_, rows_ + n_rows_, [](const Rows& r) { return r.in_step; });
    n_in_step_ = static_cast<int>(others - rows_);
  }
}

void TileProgram::begin(Frame& f) const {
  char* free = f.scratch;
  for (int p = 0; p < n_places_; ++p) {
    f.step[p] = places_[p].step;
    if (places_[p].base || p == sink_) continue;
    f.at[p] = free;
    free += (places_[p].step * tile_ + kAlignment - 1) & -kAlignment;
  }
  for (int i = 0; i < n_rows_; ++i) {
    f.tile_of[i] = f.at[rows_[i].place];
    f.filled[i] = 0;
    if (i < n_in_step_) f.step[rows_[i].place] = rows_[i].it.step(1);
  }
}

// Rows lie wherever they do, so that nothing but this tells what comes next.
void TileProgram::fetch_row(int64_t row) const {
  constexpr int64_t kLine = 64, kMost = 8 * kLine;  // bytes; from there on the order shows
  for (const Rows& rows : std::span(rows_, n_in_step_)) {
    const char* at = rows.begin_of(row);
    const int64_t bytes = std::min(kMost, row_ * rows.it.step(1));
    for (int64_t b = 0; b < bytes; b += kLine) __builtin_prefetch(at + b);
  }
}

void TileProgram::take_rows(Frame& f, int64_t row, int64_t phase) const {
  for (const Rows& rows : std::span(rows_, n_in_step_))
    f.at[rows.place] = rows.begin_of(row) + phase * rows.it.step(1);
}

// Takes rows where they are if the tile lies within one, and else copies them together.
void TileProgram::gather(Frame& f, int64_t i, int64_t n) const {
  for (int r = n_in_step_; r < n_rows_; ++r) {
    const Rows& rows = rows_[r];
    const int64_t size = size_of(rows.dtype), step = rows.it.step(1), inner = rows.it.inner();
    const int64_t phase = i % inner;
    if (rows.periodic && n <= f.filled[r] && phase == f.phase[r]) continue;
    f.in_place[r] = (step == 0 || step == size) && phase + n <= inner;
    char* to = f.tile_of[r];
    f.at[rows.place] = to;
    f.step[rows.place] = size;
    f.phase[r] = phase;
    f.filled[r] = f.in_place[r] ? 0 : n;
    if (rows.written && !f.in_place[r]) continue;
    rows.runs(i, i + n, [&](char* at, int64_t count) {
      if (f.in_place[r]) {
        f.at[rows.place] = at;
        f.step[rows.place] = step;
        return;
      }
      cast_loop(rows.dtype, rows.dtype)(to, size, at, step, count);
      to += count * size;
    });
  }
}

// Copies what is written to rows from its tile.
void TileProgram::scatter(const Frame& f, int64_t i, int64_t n) const {
  for (int r = n_in_step_; r < n_rows_; ++r) {
    const Rows& rows = rows_[r];
    if (!rows.written || f.in_place[r]) continue;
    const int64_t size = size_of(rows.dtype), step = rows.it.step(1);
    const char* from = f.tile_of[r];
    rows.runs(i, i + n, [&](char* at, int64_t count) {
      cast_loop(rows.dtype, rows.dtype)(at, step, from, size, count);
      from += count * size;
    });
  }
}

void TileProgram::note_strides(Frame& f) const {
  for (int i = 0; i < n_steps_; ++i)
    for (int k = 0; k < kOperands; ++k) f.stride[i][k] = f.step[steps_[i].at[k]];
}

// There are many rows, and a step does little in each: what can be known before is.
void TileProgram::run_steps(const Frame& f, int64_t n) const {
  char* data[kOperands];
  for (int i = 0; i < n_steps_; ++i) {
    const Step& s = steps_[i];
    if (!s.loop) {
      s.cast(f.at[s.at[0]], f.stride[i][0], f.at[s.at[1]], f.stride[i][1], n);
      continue;
    }
    for (int k = 0; k < kOperands; ++k) data[k] = f.at[s.at[k]];
    s.loop(data, f.stride[i], n);
  }
}

void TileProgram::run(int64_t begin, int64_t end, char* sink) const {
  Frame f;
  this->begin(f);
  const bool all_in_step = n_in_step_ == n_rows_;
  if (all_in_step) note_strides(f);
  int64_t row = begin / row_, phase = begin % row_;
  for (int64_t i = begin; i < end;) {
    const int64_t n = std::min({tile_, row_ - phase, end - i});
    if (n_in_step_) {
      take_rows(f, row, phase);
      if (phase == 0 && row_ < end - i) fetch_row(row + 1);
    }
    for (int p = 0; p < n_places_; ++p)
      if (places_[p].base) f.at[p] = places_[p].base + i * places_[p].move;
    if (sink) f.at[sink_] = sink + i * places_[sink_].step;
    if (!all_in_step) {
      gather(f, i, n);
      note_strides(f);
    }
    run_steps(f, n);
    if (!all_in_step) scatter(f, i, n);
    i += n;
    phase += n;
    if (phase == row_) ++row, phase = 0;
  }
}

}  // namespace wend
