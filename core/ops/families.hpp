// ops/families.hpp: the families of ops, and how a kernel sees a node as raw memory.
#pragma once

#include "graph/op.hpp"
#include "kernels/copy.hpp"

namespace wend {

std::span<const Op> graph_ops();
std::span<const Op> elementwise_ops();
std::span<const Op> create_ops();
std::span<const Op> strided_ops();
std::span<const Op> view_ops();
std::span<const Op> reshape_ops();
std::span<const Op> rearrange_ops();
std::span<const Op> pad_ops();
std::span<const Op> scatter_reduce_ops();
std::span<const Op> reduce_ops();
std::span<const Op> matmul_ops();
std::span<const Op> index_ops();
std::span<const Op> mask_ops();
std::span<const Op> gather_ops();
std::span<const Op> order_ops();
std::span<const Op> join_ops();
std::span<const Op> random_ops();
std::span<const Op> nn_ops();

inline Strided strided(const Node& node) { return {node.data(), node.dtype, node.strides()}; }

// Result takes dtype and layout of input 0.
void infer_like_input(Infer& s);

}  // namespace wend
