// ops/table.cpp: the op table is the families, one after the other.
#include <cstring>
#include <string>
#include <unordered_map>

#include "ops/families.hpp"

namespace wend {

std::span<const std::span<const Op>> op_table() {
  static const std::span<const Op> families[] = {
      graph_ops(), elementwise_ops(), create_ops(), view_ops(), reduce_ops(),
      matmul_ops(), index_ops(), order_ops(), join_ops(), random_ops(), compose_ops(),
      softmax_ops(), norm_ops(), embedding_ops(), dropout_ops(), loss_ops(),
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

const Op& op_of_literal(const char* literal) {
  struct Entry {
    const char* literal = nullptr;
    const Op* op = nullptr;
  };
  static constinit Entry remembered[1024];
  Entry& entry = remembered[reinterpret_cast<uintptr_t>(literal) % 1021];
  if (entry.literal != literal) entry = {literal, &op_named(std::string_view(literal))};
  return *entry.op;
}

}  // namespace wend
