// ops/geometry.hpp: what the families of views share: setting sizes and strides in a rule, and the
// gradient of a view.
#pragma once

#include <optional>

#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {

inline void set_geometry(Infer& s, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                         int64_t offset) {
  s.dtype = s.in[0]->dtype;
  s.layout = intern(sizes, strides);
  s.offset = offset;
}

// What a view's rule for geometry makes of an input that lies so, or row-major with these sizes.
struct ViewGeometry {
  LayoutRef layout;
  int64_t offset;
};
ViewGeometry geometry_of(const Op& view, DType dtype, const Layout& of, std::span<const Arg> attrs);
ViewGeometry geometry_in_rows(const Op& view, DType dtype, std::span<const int64_t> sizes,
                              std::span<const Arg> attrs);

// The gradient of any view of an input in which no two elements share a place.
Value view_gradient(const GradCall& s);

// `part` at the places that `layout` and `offset` describe in a dense whole of zeros.
Value placed(const Value& part, const Layout& layout, int64_t offset, const Layout& whole);

// Replaces the one -1 in a requested shape.
Dims infer_sizes(std::span<const int64_t> asked, int64_t numel);
// Strides that show old sizes and strides as `sizes`, if no copy is needed for that.
std::optional<Dims> strides_for(const Layout& old, std::span<const int64_t> sizes);

}  // namespace wend
