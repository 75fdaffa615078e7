// Short programs of elementwise loops that run tile by tile: what is neither read from memory nor
// kept there lives in tiles that stay in cache. Which loops make a program is left to the caller.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cast.hpp"
#include "kernels/copy.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/iterate.hpp"
#include "kernels/reduce.hpp"

namespace wend {

// Elements are counted in the order of memory of `strides`, which are dense. Operands of steps are
// places: in memory, or tiles of the program's own.
class TileProgram final : public Maker {
 public:
  static constexpr int kPlaces = 255, kSteps = 200, kGathered = 16;
  using Place = uint8_t;

  TileProgram(std::span<const int64_t> sizes, std::span<const int64_t> strides)
      : sizes_(sizes), strides_(strides) {}

  // Elements that lie in the order of the program.
  Place in_order(char* data, int64_t size) { return add_place(data, size, size); }
  // One element that is repeated.
  Place repeated(const char* element) { return add_place(const_cast<char*>(element), 0, 0); }
  // Elements that are broadcast or in another order; at most kGathered of them.
  Place gathered(Strided in, std::span<const int64_t> sizes) { return reordered(in, sizes, false); }
  // The same to be written.
  Place scattered(Strided out, std::span<const int64_t> sizes) {
    return reordered(out, sizes, true);
  }
  // Rows of that many elements which begin at the places that are listed; they count as gathered.
  Place rows(char* const* begins, int64_t elements, DType dtype);
  bool is_repeated(Place place) const { return places_[place].base && !places_[place].step; }
  // A tile of elements of that size.
  Place tile(int64_t size) { return add_place(nullptr, 0, size); }
  // Where elements are written that are asked for by make().
  Place sink(int64_t size) { return sink_ = add_place(nullptr, 0, size); }

  // The output comes first. It may be the place of an operand.
  void add(Loop loop, std::span<const Place> operands);
  void add(Cast cast, Place to, Place from);

  // To be called when the program is complete, and before it is run.
  void settle();
  // Elements that make a good part for a thread are a multiple of this.
  int64_t unit() const { return tile_; }
  void run(int64_t begin, int64_t end) const { run(begin, end, nullptr); }
  void make(int64_t first, int64_t n, char* to) const override {
    run(first, first + n, to - first * places_[sink_].step);
  }

 private:
  // Where a place is: at base + i * move for the tile that begins with element i.
  struct At {
    char* base;
    int64_t move, step;
  };
  static constexpr int kOperands = 4;  // that a loop has at most, with its output
  struct Step {
    Loop loop;  // null: a cast
    Cast cast;
    Place at[kOperands];  // where there are fewer, others are the output again
  };
  struct Rows {
    IterationOf<2> it;  // of the program, and of the operand
    DType dtype;
    Place place;
    bool periodic;        // every row is the same
    bool written;         // else read
    bool in_step;         // its rows are those of the program, so that tiles lie within one ...
    int64_t apart;        // ... and are so many bytes apart, unless they are listed
    char* const* begins;  // of each row; null: `it` knows

    void look_for_steps(int64_t row);
    char* begin_of(int64_t row) const { return begins ? begins[row] : it.data[1] + row * apart; }
    template <class Body>
    void runs(int64_t begin, int64_t end, Body&& body) const;
  };
  struct Frame;

  Place add_place(char* base, int64_t move, int64_t step) {
    places_[n_places_] = {base, move, step};
    return static_cast<Place>(n_places_++);
  }
  Place reordered(Strided operand, std::span<const int64_t> sizes, bool written);
  void run(int64_t begin, int64_t end, char* sink) const;
  void begin(Frame& f) const;
  void fetch_row(int64_t row) const;
  void take_rows(Frame& f, int64_t row, int64_t phase) const;
  void gather(Frame& f, int64_t i, int64_t n) const;
  void scatter(const Frame& f, int64_t i, int64_t n) const;
  void note_strides(Frame& f) const;
  void run_steps(const Frame& f, int64_t n) const;

  std::span<const int64_t> sizes_, strides_;
  int n_places_ = 0, n_steps_ = 0, n_rows_ = 0, sink_ = -1;
  int n_in_step_ = 0;   // of the rows; they come first
  int64_t tile_, row_;  // elements of a tile, which does not go beyond a multiple of row_
  At places_[kPlaces];
  Step steps_[kSteps];
  Rows rows_[kGathered];
};

}  // namespace wend
