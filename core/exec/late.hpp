// exec/late.hpp: kinds of pending nodes that nothing recurrent needs, such as the loss of every
// step of a loop. By levels there would be many small batches of them; they can wait for all of
// their kind. Who waits, and until when, is exec/batch.
#pragma once

#include <cstdint>
#include <span>

#include "graph/node.hpp"

namespace wend {

// Pending nodes that are worth a look.
inline constinit size_t late_kinds_from = 512;

class LateKinds {
 public:
  // Looks at a sample of what is pending.
  void look();
  void forget();
  // Pending nodes when it last looked.
  size_t looked_at() const { return looked_at_; }

  bool contains(uint32_t key) const { return is_among(key, late_); }
  // Whether it is known that nodes of the kind must run in their turn; few may be of a kind that
  // the sample does not know.
  bool is_in_time(uint32_t key) const { return is_among(key, in_time_); }

 private:
  static constexpr int kMost = 64;  // kinds; more are not told apart by a word of bits

  struct Kind {
    uint32_t key;
    size_t bytes;    // of all values, as far as the sample tells
    uint64_t feeds;  // bit i: kind i reads it, directly or not
  };

  // Where in the table the number of the kind stands, or will.
  size_t place_of(uint32_t key) const;
  // The number of the kind, or -1 where there are too many.
  int number_of(uint32_t key);
  bool note(const Node& node);
  void follow();
  bool is_among(uint32_t key, uint64_t kinds) const;

  size_t looked_at_ = 0;
  int n_ = 0;
  size_t step_ = 1;  // one of so many nodes is looked at
  Kind kinds_[kMost] = {};
  uint8_t table_[4 * kMost] = {};    // numbers of kinds by their keys, each one higher; 0: none
  uint64_t late_ = 0, in_time_ = 0;  // bit i: kind i is
};

}  // namespace wend
