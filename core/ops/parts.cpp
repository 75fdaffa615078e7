// ops/parts.cpp: parts put at their places in a larger tensor, which is how gradients of views go
// back. Each place is written once where that can be seen; what may meet is added up.
#include <algorithm>
#include <numeric>
#include <optional>

#include "kernels/index.hpp"
#include "ops/batching.hpp"
#include "ops/geometry.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

// Attributes of both ops: sizes and strides of the whole, which is dense; then for each part its
// strides, its offset, and whether elements of it may share a place, one behind the other.
struct Part {
  const Node& node;
  std::span<const int64_t> strides;
  int64_t offset;
  bool overlaps;
};

template <class Each>
void each_part(std::span<const Value> parts, const Arg& places, Each each) {
  auto rest = places.as_ints();
  for (const Value& part : parts) {
    const auto n = static_cast<size_t>(part->ndim());
    each(Part{*part, rest.first(n), rest[n], rest[n + 1] != 0});
    rest = rest.subspan(n + 2);
  }
}

// Indices start, start + step, ... along each dimension of a whole that is larger than 1, the
// outermost in memory first.
struct Box {
  Dims start, step, count;

  int64_t last(int d) const { return start[d] + (count[d] - 1) * step[d]; }
  bool has_gaps() const {
    return std::ranges::any_of(step, [](int64_t s) { return s > 1; });
  }
  int64_t numel() const {
    return std::accumulate(count.begin(), count.end(), int64_t{1}, std::multiplies<>());
  }
};

bool apart(const Box& a, const Box& b) {
  for (int d = 0; d < a.start.n; ++d) {
    if (a.last(d) < b.start[d] || b.last(d) < a.start[d]) return true;
    const int64_t step = std::gcd(a.count[d] > 1 ? a.step[d] : 0, b.count[d] > 1 ? b.step[d] : 0);
    if (step > 1 && (a.start[d] - b.start[d]) % step != 0) return true;
  }
  return false;
}

// The dimensions of a dense whole that are larger than 1, the outermost in memory first.
class Frame {
 public:
  explicit Frame(const Node& whole) {
    int order[kMaxDims], n = 0;
    for (int i = 0; i < whole.ndim(); ++i)
      if (whole.size(i) > 1) order[n++] = i;
    std::sort(order, order + n,
              [&](int a, int b) { return whole.layout->stride(a) > whole.layout->stride(b); });
    for (int i = 0; i < n; ++i) {
      sizes_.push(whole.size(order[i]));
      strides_.push(whole.layout->stride(order[i]));
    }
  }

  Box all() const {
    Box box;
    for (int64_t size : sizes_) {
      box.start.push(0);
      box.step.push(1);
      box.count.push(size);
    }
    return box;
  }

  // Where a part lies; none if it is no box.
  std::optional<Box> box_of(const Part& part) const {
    if (part.overlaps) return std::nullopt;
    Box box = all();
    int64_t rest = part.offset;
    for (int d = 0; d < sizes_.n; ++d) {
      box.start[d] = rest / strides_[d];
      box.count[d] = 1;
      rest %= strides_[d];
    }
    int order[kMaxDims], n = part.node.ndim();
    std::iota(order, order + n, 0);
    std::sort(order, order + n, [&](int a, int b) { return part.strides[a] > part.strides[b]; });
    for (int i = 0; i < n; ++i)
      if (!extend(box, part.node.size(order[i]), part.strides[order[i]])) return std::nullopt;
    return box;
  }

  // Sets a box without gaps to zero.
  void clear(char* out, DType dtype, const Box& box) const {
    if (box.numel() == all().numel()) return fill_zero(out, box.numel() * size_of(dtype));
    for (int d = 0; d < sizes_.n; ++d) out += box.start[d] * strides_[d] * size_of(dtype);
    static constexpr double zero = 0;  // of any dtype
    const Dims none = [&] {
      Dims dims(sizes_);
      std::ranges::fill(dims, 0);
      return dims;
    }();
    copy(box.count.span(), {out, dtype, strides_.span()},
         {const_cast<char*>(reinterpret_cast<const char*>(&zero)), dtype, none.span()});
  }

 private:
  // Adds a dimension of a part, which may run through several of the whole.
  bool extend(Box& box, int64_t n, int64_t stride) const {
    while (n > 1) {
      int d = 0;
      while (d < sizes_.n && strides_[d] > stride) ++d;
      if (d == sizes_.n || stride % strides_[d] != 0) return false;
      const int64_t step = stride / strides_[d];
      const bool fresh = box.count[d] == 1;
      if (fresh && step == 1 && box.start[d] == 0 && n > sizes_[d] && n % sizes_[d] == 0) {
        box.count[d] = sizes_[d];
        n /= sizes_[d];
        stride *= sizes_[d];
        continue;
      }
      if (!fresh && box.step[d] != step * n) return false;
      box.step[d] = step;
      box.count[d] *= n;
      return box.last(d) < sizes_[d];
    }
    return true;
  }

  Dims sizes_, strides_;
};

// Which parts can be written at their places, as nothing else that is written lies there.
class Plan {
 public:
  Plan(const Frame& frame, std::span<const Part> parts) : whole_(frame.all()) {
    for (const Part& part : parts) boxes_.push_back(frame.box_of(part));
    if (!follow_each_other()) compare_all();
    for (size_t i = 0; i < boxes_.size(); ++i)
      if (boxes_[i]) written_ += boxes_[i]->numel();
  }

  bool writes(size_t i) const { return boxes_[i].has_value(); }
  bool writes_all() const {
    return written_ == whole_.numel() &&
           std::ranges::all_of(boxes_, [](auto& box) { return box.has_value(); });
  }

  // What nothing is written to; it may be more where finding out would take long.
  std::vector<Box> gaps() const {
    if (written_ == whole_.numel()) return {};
    std::vector<Box> gaps{whole_};
    if (std::ranges::count_if(boxes_, [](auto& box) { return box.has_value(); }) > kMany)
      return gaps;
    for (const auto& box : boxes_)
      if (box && !box->has_gaps()) gaps = without(gaps, *box);
    return gaps;
  }

 private:
  static constexpr ptrdiff_t kMany = 64;

  // Whether all boxes differ in one dimension only and lie one behind the other in it.
  bool follow_each_other() const {
    if (boxes_.empty() || !std::ranges::all_of(boxes_, [](auto& box) { return bool(box); }))
      return false;
    int along = -1;
    for (const auto& box : boxes_)
      for (int d = 0; d < whole_.start.n; ++d) {
        const Box& first = *boxes_[0];
        if (box->start[d] == first.start[d] && box->last(d) == first.last(d)) continue;
        if (along >= 0 && along != d) return false;
        along = d;
      }
    if (along < 0) return boxes_.size() == 1;
    std::vector<const Box*> sorted;
    for (const auto& box : boxes_) sorted.push_back(&*box);
    const auto start = [&](const Box* box) { return box->start[along]; };
    std::ranges::sort(sorted, {}, start);
    const auto meet = [&](const Box* a, const Box* b) { return a->last(along) >= start(b); };
    return std::ranges::adjacent_find(sorted, meet) == sorted.end();
  }

  // Keeps the boxes that lie apart from all that are kept before them.
  void compare_all() {
    std::vector<const Box*> kept;
    for (auto& box : boxes_) {
      if (!box) continue;
      if (std::ssize(kept) < kMany &&
          std::ranges::all_of(kept, [&](const Box* other) { return apart(*box, *other); }))
        kept.push_back(&*box);
      else
        box.reset();
    }
  }

  static std::vector<Box> without(std::span<const Box> gaps, const Box& box) {
    std::vector<Box> left;
    for (Box gap : gaps) {
      if (apart(gap, box)) {
        left.push_back(gap);
        continue;
      }
      for (int d = 0; d < gap.start.n; ++d) {
        const int64_t begin = gap.start[d], end = gap.last(d) + 1;
        const int64_t from = std::max(begin, box.start[d]), to = std::min(end, box.last(d) + 1);
        for (auto [first, past] : {std::pair(begin, from), std::pair(to, end)}) {
          if (first == past) continue;
          left.push_back(gap);
          left.back().start[d] = first;
          left.back().count[d] = past - first;
        }
        gap.start[d] = from;
        gap.count[d] = to - from;
      }
    }
    return left;
  }

  Box whole_;
  std::vector<std::optional<Box>> boxes_;  // of the parts that are written
  int64_t written_ = 0;
};

void infer_whole(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = intern(s.attrs[0].as_ints(), s.attrs[1].as_ints());
}

std::vector<Part> parts_of(const Run& s, size_t first) {
  std::vector<Part> parts;
  each_part(s.node.in().subspan(first), s.attr(2), [&](const Part& part) {
    if (part.node.numel() > 0) parts.push_back(part);
  });
  return parts;
}

Strided place_of(const Run& s, const Part& part) {
  return {s.out() + part.offset * size_of(s.node.dtype), s.node.dtype, part.strides};
}

void add(const Run& s, const Part& part) {
  add_to(part.node.sizes(), place_of(s, part), strided(part.node), part.overlaps);
}

void run_placed(Run& s) {
  const std::vector<Part> parts = parts_of(s, 0);
  const Frame frame(s.node);
  const Plan plan(frame, parts);
  for (const Box& gap : plan.gaps()) frame.clear(s.out(), s.node.dtype, gap);
  for (size_t i = 0; i < parts.size(); ++i)
    if (plan.writes(i)) copy(parts[i].node.sizes(), place_of(s, parts[i]), strided(parts[i].node));
  for (size_t i = 0; i < parts.size(); ++i)
    if (!plan.writes(i)) add(s, parts[i]);
}

bool parts_of_placed(const Node& node, PartAt* places) {
  std::vector<Part> parts;
  each_part(node.in(), node.attr(2), [&](const Part& part) {
    *places++ = {part.strides, part.offset};
    parts.push_back(part);
  });
  return Plan(Frame(node), parts).writes_all();
}

void run_add_parts(Run& s) {
  start_from_input(s);
  for (const Part& part : parts_of(s, 1)) add(s, part);
}

// The attributes of a node of either op, with `n` in front of all sizes where members are many.
struct Placing {
  Dims sizes, strides;
  List<int64_t> all;

  explicit Placing(const Layout& whole) : sizes(whole.sizes()), strides(whole.strides()) {}
  void add(std::span<const int64_t> part_strides, int64_t offset, bool overlaps) {
    all.insert(all.end(), part_strides.begin(), part_strides.end());
    all.push_back(offset);
    all.push_back(overlaps);
  }
  Value record(const Op& op, std::span<Value> in) const {
    const Arg attrs[] = {Arg::of(sizes.span()), Arg::of(strides.span()),
                         Arg::of(std::span<const int64_t>(all))};
    return wend::record(op, in, attrs);
  }
};

Value read_part(const GradCall& s, int number) {
  const Value g = with_layout(s.g, s.node().layout);
  Value part;
  const auto in = s.node().in();
  const size_t first = s.node().op->donates ? 1 : 0;
  int i = 0;
  each_part(in.subspan(first), s.attr(2), [&](const Part& p) {
    if (i++ == number) part = as_strided(g, p.node.sizes(), p.strides, g->offset + p.offset);
  });
  return part;
}

// Members' wholes follow each other, and so do their parts.
Value lift(const Lift& s, size_t first) {
  const int64_t step = s.like.numel();
  Placing places(*s.like.layout);
  places.sizes.insert(0, s.n());
  places.strides.insert(0, step);
  each_part(s.like.in().subspan(first), s.like.attr(2), [&](const Part& part) {
    Dims strides(part.strides);
    strides.insert(0, step);
    places.add(strides.span(), part.offset, part.overlaps);
  });
  Values in;
  for (int i = 0; i < static_cast<int>(s.in.size()); ++i) in.push_back(with_members(s, i));
  return places.record(*s.like.op, in);
}

Value add_parts(const Value& start, const Node& placed) {
  static const Op& op = op_named("add_parts");
  Values in{start};
  in.insert(in.end(), placed.in().begin(), placed.in().end());
  return record(op, in, placed.attrs->span());
}

Value join_placed(std::span<const Value> several) {
  Placing places(*several[0]->layout);
  Values in;
  for (const Value& one : several) {
    in.insert(in.end(), one->in().begin(), one->in().end());
    const auto more = one->attr(2).as_ints();
    places.all.insert(places.all.end(), more.begin(), more.end());
  }
  return places.record(*several[0]->op, in);
}

constexpr Op kOps[] = {
    {.name = "placed",
     .doc = "Parts at their places in a tensor, added up where they meet, and zeros elsewhere.",
     .infer = infer_whole,
     .kernel = run_placed,
     .launches = true,
     .grad_each = GRAD(read_part(s, s.index)),
     .lift = [](const Lift& s) { return lift(s, 0); },
     .parts = parts_of_placed,
     .onto = add_parts,
     .join = join_placed,
     .cost = 0.3,
     .hidden = true},
    {.name = "add_parts",
     .doc = "Input 0 with the other inputs added at their places in it.",
     .infer = infer_whole,
     .kernel = run_add_parts,
     .launches = true,
     .grad_each = GRAD(s.index ? read_part(s, s.index - 1) : g),
     .lift = [](const Lift& s) { return lift(s, 1); },
     .donates = 1,
     .cost = 0.3,
     .hidden = true},
};

}  // namespace

std::span<const Op> parts_ops() { return kOps; }

Value placed(const Value& part, const Layout& layout, int64_t offset, const Layout& whole) {
  static const Op& op = op_named("placed");
  Placing places(whole);
  places.add(layout.strides(), offset, may_overlap(layout));
  Value in[] = {part};
  return places.record(op, in);
}

Value view_gradient(const GradCall& s) {
  const Node &in = *s.in(0), &view = s.node();
  // It lies as the input does, so that the way back through further views needs no copy.
  if (in.layout->dense) {
    const LayoutRef whole = in.layout->contiguous ? contiguous(in.sizes()) : LayoutRef(in.layout);
    return placed(s.g, *view.layout, view.offset - in.offset, *whole);
  }
  const ViewGeometry part = geometry_in_rows(*view.op, in.dtype, in.sizes(), view.attrs->span());
  return placed(s.g, *part.layout, part.offset, *contiguous(in.sizes()));
}

}  // namespace wend
