// ops/table.cpp: the op table is the families, one after the other.
#include <cstring>
#include <string>
#include <unordered_map>

#include "ops/families.hpp"

namespace wend {

std::span<const OpFamily> op_table() {
  static const OpFamily families[] = {
      {"graph", graph_ops()},
      {"elementwise", elementwise_ops()},
      {"create", create_ops()},
      {"copy", copy_ops()},
      {"view", view_ops()},
      {"reduce", reduce_ops()},
      {"statistics", statistics_ops()},
      {"scan", scan_ops()},
      {"matmul", matmul_ops()},
      {"contract", contract_ops()},
      {"distance", distance_ops()},
      {"linalg", linalg_ops()},
      {"index", index_ops()},
      {"gather", gather_ops()},
      {"order", order_ops()},
      {"pick", pick_ops()},
      {"bins", bins_ops()},
      {"join", join_ops()},
      {"random", random_ops()},
      {"compose", compose_ops()},
      {"softmax", softmax_ops()},
      {"norm", norm_ops()},
      {"embedding", embedding_ops()},
      {"dropout", dropout_ops()},
      {"loss", loss_ops()},
      {"recurrent", recurrent_ops()},
      {"conv", conv_ops()},
      {"pool", pool_ops()},
      {"fold", fold_ops()},
      {"strided", strided_ops()},
      {"parts", parts_ops()},
      {"reshape", reshape_ops()},
      {"rearrange", rearrange_ops()},
      {"pad", pad_ops()},
      {"mask", mask_ops()},
      {"scatter_reduce", scatter_reduce_ops()},
      {"batching", batching_ops()},
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
