// ops/families.hpp: the families of ops, and how a kernel sees a node as raw memory.
#pragma once

#include "graph/op.hpp"
#include "kernels/copy.hpp"

namespace wend {

// The parameters that creating ops have in common; each takes nothing by position.
#define CREATION_OPTIONS                                          \
  "dtype? dtype=None, layout? layout=None, device? device=None, " \
  "requires_grad requires_grad=False, pin_memory pin_memory=False"
#define LIKE_OPTIONS CREATION_OPTIONS ", memory_format? memory_format=None"

std::span<const Op> graph_ops();
std::span<const Op> elementwise_ops();
std::span<const Op> create_ops();
std::span<const Op> copy_ops();
std::span<const Op> strided_ops();
std::span<const Op> parts_ops();
std::span<const Op> view_ops();
std::span<const Op> reshape_ops();
std::span<const Op> rearrange_ops();
std::span<const Op> pad_ops();
std::span<const Op> scatter_reduce_ops();
std::span<const Op> reduce_ops();
std::span<const Op> matmul_ops();
std::span<const Op> contract_ops();
std::span<const Op> distance_ops();
std::span<const Op> linalg_ops();
std::span<const Op> index_ops();
std::span<const Op> mask_ops();
std::span<const Op> gather_ops();
std::span<const Op> statistics_ops();
std::span<const Op> scan_ops();
std::span<const Op> order_ops();
std::span<const Op> pick_ops();
std::span<const Op> bins_ops();
std::span<const Op> join_ops();
std::span<const Op> random_ops();
std::span<const Op> compose_ops();
std::span<const Op> softmax_ops();
std::span<const Op> norm_ops();
std::span<const Op> embedding_ops();
std::span<const Op> dropout_ops();
std::span<const Op> loss_ops();
std::span<const Op> batching_ops();
std::span<const Op> recurrent_ops();
std::span<const Op> conv_ops();
std::span<const Op> pool_ops();
std::span<const Op> fold_ops();

inline Strided strided(const Node& node) { return {node.data(), node.dtype, node.strides()}; }

// Raises for a negative size.
void check_sizes(std::span<const int64_t> sizes);
// Raises that a kernel, by PyTorch's name of it, does not take a dtype.
[[noreturn]] void not_for(const char* what, DType dtype);
// The largest number of a float dtype, and of an integer one.
double largest_real(DType dtype);
int64_t largest(DType dtype);
// The name of the C++ type that PyTorch has for a dtype, which some of its messages give.
const char* cpp_name(DType dtype);

// Result takes dtype and layout of input 0.
void infer_like_input(Infer& s);

}  // namespace wend
