// ops/table.cpp: the op table is the families, one after the other.
#include <cstring>
#include <string>
#include <unordered_map>

#include "ops/families.hpp"

namespace wend {

std::span<const std::span<const Op>> op_table() {
  static const std::span<const Op> families[] = {
      graph_ops(), elementwise_ops(), create_ops(), strided_ops(), view_ops(), reshape_ops(), rearrange_ops(), pad_ops(), reduce_ops(),
      matmul_ops(), index_ops(), mask_ops(), gather_ops(), scatter_reduce_ops(), order_ops(), join_ops(), random_ops(), nn_ops(),
  };
  return families;
}

const Op& op_named(std::string_view name) {
  static const auto& index = *[] {
    auto* map = new std::unordered_map<std::string_view, const Op*>;
    for (auto family : op_table())
      for (const Op& op : family) map->try_emplace(op.name, &op);
    return map;
  }();
  auto it = index.find(name);
  if (it == index.end()) fail(ErrorKind::runtime, "internal: there is no op ", name);
  return *it->second;
}

}  // namespace wend
