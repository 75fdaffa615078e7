// ops/families.hpp: the families of ops, and how a kernel sees a node as raw memory.
#pragma once

#include "graph/op.hpp"
#include "kernels/copy.hpp"

namespace wend {

std::span<const Op> graph_ops();
std::span<const Op> elementwise_ops();
std::span<const Op> create_ops();
std::span<const Op> view_ops();
std::span<const Op> reduce_ops();
std::span<const Op> matmul_ops();
std::span<const Op> index_ops();
std::span<const Op> order_ops();
std::span<const Op> join_ops();
std::span<const Op> random_ops();
std::span<const Op> compose_ops();
std::span<const Op> softmax_ops();
std::span<const Op> norm_ops();
std::span<const Op> embedding_ops();
std::span<const Op> dropout_ops();
std::span<const Op> loss_ops();

inline Strided strided(const Node& node) { return {node.data(), node.dtype, node.strides()}; }

// Result takes dtype and layout of input 0.
void infer_like_input(Infer& s);

}  // namespace wend
