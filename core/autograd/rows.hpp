// autograd/rows.hpp: the gradient of a batch, of which readers of its rows each have a part. Who
// asks for it, and when, is the walk's affair.
#pragma once

#include <algorithm>
#include <span>

#include "autograd/frontier.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"

namespace wend {

// The rows of a batch's gradient: where each comes from, and which are there at all.
struct RowList {
  Values gradients;
  List<int64_t> from, row, to;

  // All rows of `gradient`, one behind the other.
  void add_all(const Value& gradient, int64_t first_to) {
    const int64_t n = gradient->size(0);
    const Room room(*this, gradient, n);
    for (int64_t i = 0; i < n; ++i) room.put(i, i, first_to + i);
  }
  void add(const RowsGradient& rows) {
    if (!rows.taken) return Room(*this, rows.gradient, 1).put(0, rows.at, rows.which);
    const Node& taken = *rows.taken;
    if (taken.op->view) return add_all(rows.gradient, taken.attr(0).as_int());
    const auto sources = taken.attr(1).as_ints(), places = taken.attr(2).as_ints();
    const auto n = static_cast<int64_t>(sources.size());
    const size_t before = to.size();
    const Room room(*this, rows.gradient, n);
    int64_t found = 0;
    for (int64_t i = 0; i < n; ++i) {
      room.put(found, i, places[i]);
      found += sources[i] == rows.which;
    }
    resize(before + found);
  }
  // The gradient of the batch from all of them but those before the `first`.
  Value assembled(const Node& whole, size_t first) {
    const auto rest = [&](auto& list) { return std::span(list).subspan(first); };
    const int64_t unread = std::ranges::min(rest(from));
    for (int64_t& number : rest(from)) number -= unread;
    return wend::assembled(std::span(gradients).subspan(unread), whole.sizes(), rest(from),
                           rest(row), rest(to));
  }
  // The gradients of one row added up.
  Value of_row(int64_t wanted) const {
    Value total;
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] != wanted) continue;
      const Value& g = gradients[from[i]];
      const Value one = row[i] < 0 ? g : select(g, 0, row[i]);
      total = total ? total + one : one;
    }
    return total;
  }

 private:
  void resize(size_t n) {
    from.resize(n);
    row.resize(n);
    to.resize(n);
  }
  // Places behind the last for rows of a gradient.
  struct Room {
    int64_t *from, *row, *to;
    int64_t number;

    Room(RowList& list, const Value& gradient, int64_t n) {
      if (list.gradients.empty() || list.gradients.back().get() != gradient.get())
        list.gradients.push_back(gradient);
      number = static_cast<int64_t>(list.gradients.size()) - 1;
      const size_t before = list.to.size();
      list.resize(before + n);
      from = list.from.data() + before;
      row = list.row.data() + before;
      to = list.to.data() + before;
    }
    void put(int64_t i, int64_t at, int64_t goes_to) const {
      from[i] = number;
      row[i] = at;
      to[i] = goes_to;
    }
  };
};

}  // namespace wend
