"""Calls with integers of any size, and what a package makes of each: its answer or its error.

Run as a program, it reads calls from a file and writes one line for each; `test_integers` compares.
Calls of the op table are written out here too, from the samples of each entry.
"""

import json
import math
import re
import resource
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from ops.recipes import Call, Dtype, Recipe, make

M = 2**63 - 1
NUMBERS = [-M - 1, -1, 0, 2**31, 2**32, 2**62, M]
REALS = ["1e300", "-1e300", "1e19", "inf", "nan"]
SECONDS = 5
MEMORY = 1 << 30

# A number in braces is one that the sweep replaces; with ".0" it also becomes a real number that no
# integer holds. The names are those of `names`. How often a loop is run, such as the layers of an
# RNN or the steps of a power iteration, is left alone: who asks for so many waits for them.
CALLS = """
T.Size([{2}, 3]).numel()
T.Tensor({2}, 3).shape
T.tensor([{1}, 2])
T.tensor({5}, dtype=T.int32)
x[{1}]
x[{0}:{2}]
x[::{2}]
x[{0}, {1}]
x[T.tensor([{0}, 1])]
x[T.tensor({1})]
put(x, slice({0}, {1}), 1.0)
put(x, {1}, 1.0)
put(x, T.tensor([{1}]), 1.0)
x.index_fill(0, T.tensor([{1}]), 1.0)
x.index_add(0, T.tensor([{1}]), x[:1])
x.index_copy(0, T.tensor([{1}]), x[:1])
x.scatter(0, T.tensor([[{1}]]), 1.0)
x.scatter_add(0, T.tensor([[{1}]]), x)
x.scatter_reduce(0, T.tensor([[{1}]]), x, 'amax')
x.gather(1, T.tensor([[{1}]]))
x.take(T.tensor([{1}]))
x.put(T.tensor([{1}]), T.ones(1))
x.index_select(1, T.tensor([{1}]))
x.take_along_dim(T.tensor([[{1}]]), 1)
T.bincount(T.tensor([{1}, 0]), minlength={3})
T.repeat_interleave(T.tensor([{1}, 2]))
T.repeat_interleave(T.tensor([{1}] * 4), output_size={4})
T.repeat_interleave(v, T.tensor([{1}, 2, 0]))
T.repeat_interleave(v, T.tensor({1}))
T.repeat_interleave(v, {2}, output_size={6})
T.repeat_interleave(x, {2}, {0})
F.one_hot(T.tensor([{1}, 0]))
F.one_hot(T.tensor([1, 0]), {3})
F.embedding(T.tensor([{1}]), x, {1})
F.embedding_bag(T.tensor([0, {1}]), x, T.tensor([0, {1}]), padding_idx={1})
F.embedding_bag(T.tensor([0, 1]), x, T.tensor([0, {1}, 2]), include_last_offset=True)
F.nll_loss(x, T.tensor([0, {1}]))
F.nll_loss(x, T.tensor([0, 1]), ignore_index={1})
F.cross_entropy(x, T.tensor([0, {1}]), ignore_index={5})
F.multi_margin_loss(x, T.tensor([0, {1}]), p={1})
F.multilabel_margin_loss(x, T.tensor([[0, {1}, -1], [0, 1, 2]]))
F.ctc_loss(T.zeros(4, 1, 3), T.tensor([[1, {2}]]), T.tensor([{4}]), T.tensor([{2}]), {0})
F.ctc_loss(T.zeros(4, 1, 3), T.tensor([[1, 2]]), ({4},), ({2},), {0})
T.binary_cross_entropy_with_logits(x, x, None, None, {1})
T.kl_div(x, x.abs(), {1})
T.hinge_embedding_loss(x, x, 1.0, {1})
T.margin_ranking_loss(x, x, x, 0.0, {1})
T.cosine_embedding_loss(x, x, v[:2], 0.0, {1})
T.triplet_margin_loss(x, x, x, 1.0, {2}.0, 1e-6, False, {1})
T.poisson_nll_loss(x, x, True, False, 1e-8, {1})
T.embedding_bag(x, T.tensor([0, {1}]), T.tensor([0, {1}]), False, {1})[0]
T.embedding_bag(x, T.tensor([0, 1]), T.tensor([0]), False, {0}, False, None, False, {1})[0]
T.group_norm(T.ones(2, 4), {2})
T.native_layer_norm(x, [{3}], None, None, 1e-5)
T.native_group_norm(T.ones(1, 4), None, None, {1}, {4}, {1}, {2}, 1e-5)
T.grid_sampler(img[None], T.zeros(1, 1, 1, 2), {1}, {1}, False)
T.grid_sampler_2d(img[None], T.zeros(1, 1, 1, 2), {1}, {1}, False)
T.grid_sampler_3d(vol[None], T.zeros(1, 1, 1, 1, 3), {1}, {1}, False)
T.affine_grid_generator(T.ones(1, 2, 3), ({1}, {1}, {2}, {2}), False)
T.conv_tbc(T.ones(3, 1, 2), T.ones(2, 2, 1), T.zeros(1), {1})
T.convolution(img[None], T.ones(1, 1, 2, 2), None, [{1}, 1], [{0}, 0], [{1}, 1], False, [0, 0], {1})
T.convolution(img[None], T.ones(1, 1, 2, 2), None, [{2}, 2], [{0}, 0], [1, 1], True, [{1}, 0], {1})
T.from_file('/dev/null', False, {0})
T.UntypedStorage({3}).nbytes()
T.FloatStorage([1, 2, 3])[{1}]
T.FloatStorage({3}).size()
T.narrow_copy(x, {0}, {0}, {1})
T.view_copy(x, ({3}, {2}))
T.slice_copy(x, {1}, {0}, {2}, {1})
T.as_strided_copy(v, ({2},), ({1},), {0})
T.unfold_copy(x, {1}, {2}, {1})
T.searchsorted(v, T.tensor([{1}]))
T.isin(T.tensor([{1}]), T.tensor([1, {2}]))
T.bucketize(T.tensor([{1}]), T.tensor([1, 2]))
T.unravel_index(T.tensor([{1}]), ({2}, {3}))
T.multinomial(v.abs() + 1, {2})
T.histc(v, {3}, {0}.0, {2}.0)
T.histogramdd(x, [{2}, {2}, {2}])
T.nonzero_static(x, size={3})
T.norm_except_dim(x, 2, {0})
T.frobenius_norm(x, {0})
T.histogram(v, {3}, range=({0}.0, {2}.0))
T.linspace({0}, {1}, {3})
T.linspace({0}.0, {1}.0, 3)
T.logspace({0}, {1}, {3})
T.arange({3})
T.arange({0}, {3})
T.arange({0}, {3}, {1})
T.arange({0}.0, {3}.0, {1}.0)
T.arange({0}, {3}, {1}, dtype=T.int32)
T.range({0}, {3}, {1})
T.arange(0, {3}.0, dtype=T.int64)
T.as_strided(v, ({2},), ({1},), {0})
T.as_strided(v, ({2}, {2}), ({1}, {0}), {0})
T.as_strided(v, (64,), (1,), 2**63 - 1 - {32})
T.as_strided_scatter(v, T.ones(2), ({2},), ({1},), {0})
v.clone().as_strided((2,), (1,), {1}).fill_(1.0)
v.clone().as_strided_((2,), (1,), {1})
T.empty_strided(({3},), ({1},)).fill_(1.0)
T.empty_strided(({0}, {3}), ({1}, {1})).stride()
v.new_empty_strided(({3},), ({1},)).fill_(1.0)
v.clone().set_(x.clone()).as_strided((2,), ({1},), {0}) + 1
v.clone().set_(x[:1].clone()).as_strided(({2},), ({1},), {0}).fill_(1.0)
v.clone().data.as_strided(({2},), ({1},), {0}) + 1
v.clone().resize_({2}).shape
v.clone().resize_({1}, {2}).shape
F.pad(v, ({1}, {1}))
F.pad(img, ({1}, {1}), 'reflect')
F.pad(img, ({1}, {1}, {1}, {0}), 'replicate')
F.pad(img, ({1}, {1}), 'circular')
F.pad(img, ({1}, {1}), value={1}.0)
v.repeat({2})
v.repeat({2}, {1})
x.tile({2})
x.tile(({2}, {1}, {1}))
x.tril({0})
x.triu({0})
x.tril_({0})
x.clone().triu_({0})
x.narrow({0}, {0}, {1})
x.narrow(0, T.tensor({0}), {1})
T.tril_indices({3}, {3}, {0})
T.triu_indices({3}, {3}, {0})
T.tril_indices({3}, {3}, {0}, dtype=T.int32)
T.mvlgamma(v + 9, {2})
v.clone().mvlgamma_({1})
T.polygamma({1}, v + 3)
T.special.polygamma({1}, v + 3)
T.chunk(v, {2})
T.chunk(x, {2}, {0})
T.split(v, {2})
T.split(v, [{1}, {2}])
x.split_with_sizes([{1}, {2}], {1})
T.tensor_split(v, {2})
T.tensor_split(v, ({1}, {2}))
T.tensor_split(v, T.tensor({2}))
T.tensor_split(v, T.tensor([{1}, {2}]))
T.hsplit(v, {3})
T.vsplit(x, [{1}])
T.dsplit(x[:, :, None], [{1}])
T.unbind(x, {0})
T.roll(x, {1})
T.roll(x, ({1}, {1}), ({0}, {1}))
T.rot90(x, {1}, ({0}, {1}))
T.flip(x, ({0}, {1}))
T.diag(v, {1})
T.diag(x, {1})
T.diagflat(v, {1})
T.diag_embed(v, {1}, {0}, {1})
T.diagonal(x, {0}, {0}, {1})
T.diagonal_scatter(x, T.ones(2), {0})
T.linalg.diagonal(x, offset={0}, dim1={0}, dim2={1})
x.clone().fill_diagonal_({1})
T.select_scatter(x, T.ones(3), {0}, {1})
T.slice_scatter(x, T.ones(1, 3), {0}, {0}, {1}, {1})
T.trace(x[:, :{2}])
x.unfold({0}, {1}, {1})
x.select({0}, {1})
x.view({2}, {3})
x.view({6})
x.reshape({3}, {2})
x.unflatten(1, ({3}, {1}))
x.flatten({0}, {1})
x.expand({2}, {3})
v.expand({2}, {3})
T.ones(1).expand({2}).shape
T.ones(1).expand({2}, {3}).shape
T.broadcast_to(v, ({2}, {3}))
T.broadcast_shapes(({2}, 1), (1, {3}))
x.squeeze({0})
x.unsqueeze({0})
x.permute({0}, {1})
x.transpose({0}, {1})
x.movedim({0}, {1})
x.size({0})
x.stride({0})
x.sum({0})
x.sum(({0}, {1}))
x.mean({0})
x.var({0}, correction={1})
x.std(dim={0}, correction={1})
T.std_mean(x, {0}, correction={1})
x.argmax({0})
x.max({0})
x.amax(({0}, {1}))
x.median({0})
x.mode({0})
x.sort({0})
x.msort()
x.topk({1}, {0})
x.kthvalue({1}, {0})
x.cumsum({0})
x.logcumsumexp({0})
x.cummax({0})
x.prod({0})
x.all({0})
x.logsumexp({0})
x.norm({2}, {0})
x.renorm({2}, {0}, 1.0)
x.quantile(0.5, {0})
x.quantile({0}.0)
x.nanquantile({0}.0)
x.quantile(T.tensor([{0}.0]))
x.diff({1}, {0})
T.diff(v, {1})
T.gradient(x, dim={0}, edge_order={1})
T.trapezoid(x, dim={0})
T.cumulative_trapezoid(x, dim={0})
T.cosine_similarity(x, x, {0})
T.combinations(v, {2})
T.combinations(v, {2}, True)
T.cartesian_prod(T.arange({2}), T.arange({2}))
T.vander(v, {3})
T.linalg.vander(v, N={3})
T.bartlett_window({3})
T.blackman_window({3})
T.hamming_window({3})
T.hann_window({3})
T.kaiser_window({3})
T.kaiser_window(3, True, {2}.0)
T.eye({2})
T.eye({2}, {3})
T.zeros({2}, {3})
T.full(({2},), {3})
T.full((2,), {3}, dtype=T.int32)
v.new_zeros({2})
v.new_full(({2},), {3})
T.rand({2}).shape
T.randn({2}, {1}).shape
T.randint({3}, ({2},)).shape
T.randint({0}, {9}, (2,)).dtype
T.randperm({3}).shape
T.normal(0.0, 1.0, ({2},)).shape
T.empty({2}, {3}).shape
v.clone().random_({0}, {9}).shape
v.clone().random_({9}).shape
T.tensor([1]).random_({9}).shape
T.matrix_power(T.eye(2), {2})
T.linalg.matrix_power(T.eye(2), {2})
T.linalg.matrix_norm(x, dim=({0}, {1}))
T.linalg.vector_norm(x, dim={0})
T.linalg.cross(x, x, dim={1})
T.linalg.vecdot(x, x, dim={0})
T.linalg.tensorinv(T.eye(4).reshape(2, 2, 4), ind={2})
T.linalg.tensorsolve(T.eye(4).reshape(2, 2, 4), T.ones(2, 2), dims=({0},))
T.tensordot(x, x.T, {1})
T.tensordot(x, x, dims=([{0}], [{0}]))
T.cross(x, x, dim={1})
T.pca_lowrank(x, {1})[1].shape
T.svd_lowrank(x, {1})[1].shape
T.cov(x, correction={1})
T.unique(T.tensor([1, 2]), dim={0})
T.unique_consecutive(v, dim={0})
T.cdist(x, x, p={1}.0)
T.block_diag(T.ones({1}, 2), x)
T.stack([v, v], {0})
T.cat([v, v], {0})
T.cat([T.zeros(0, {2}), T.zeros(0, {3})], 1)
T.cat([T.zeros(0, 2**62), T.zeros(0, {3})], 1)
T.zeros(0, {2}, {3}).sum(1)
T.zeros({2}, 0).sum(1)
T.zeros(0, {2}).repeat(1, {2})
T.zeros(0, {2}).T.contiguous()
T.zeros(0, {2}).flatten()
T.zeros(0, {2}) @ T.zeros({2}, 2)
T.zeros(0, {2})[:, {1}]
T.zeros(0, {2}).diagonal({1})
F.pad(T.zeros(0, {2}), ({1}, {1}))
T.hstack([T.zeros(0, {2}), T.zeros(0, {2})])
T.kron(T.zeros(0, {2}), T.zeros(0, {2}))
T.outer(T.zeros({0}), T.zeros({2}))
T.einsum('ij,kl->ikjl', T.zeros(0, {2}), T.zeros(0, {2})).shape
T.meshgrid(T.zeros({0}), T.zeros({2}), indexing='ij')
F.unfold(T.zeros(0, 1, 4, {4}), 2)
T.frombuffer(bytearray(16), dtype=T.float32, count={2}, offset={4})
T.bitwise_left_shift(T.tensor([1]), {1})
T.tensor([1, 2]) << {1}
T.tensor([1, 2]) >> {1}
T.tensor([4, 5]) // {2}
T.tensor([4, 5]) % {2}
T.tensor([4, 5]) ** {2}
T.pow({2}, T.tensor([2, 3]))
T.clamp(T.tensor([4, 5]), {2}, {3})
T.clamp(T.tensor([4, 5], dtype=T.uint8), {2}, {3})
T.tensor([4, 5], dtype=T.int8).clamp_(min={2})
T.tensor([4, {5}]).to(T.int32)
T.tensor([{5}.0]).to(T.float16)
T.gcd(T.tensor([{4}]), T.tensor([{6}]))
T.lcm(T.tensor([{4}]), T.tensor([{6}]))
T.tensor([{4}]).abs()
T.div(T.tensor([{4}]), {2}, rounding_mode='floor')
T.div(T.tensor([{4}]), {2}, rounding_mode='trunc')
T.fmod(T.tensor([{4}]), {2})
T.sum(T.tensor([{4}, {4}]))
T.round(v, decimals={1})
T.ldexp(v, T.tensor([{1}]))
T.special.zeta(v.abs() + 2, {2})
T.special.hermite_polynomial_h(v, {2})
T.special.laguerre_polynomial_l(v, {2})
T.special.legendre_polynomial_p(v, {2})
T.special.chebyshev_polynomial_t(v, {2})
T.special.chebyshev_polynomial_w(v, T.tensor([{2}]))
T.special.shifted_chebyshev_polynomial_u(v, {2})
T.special.hermite_polynomial_he(v, T.tensor([{2}.0]))
T.special.multigammaln(v + 9, {2})
T.manual_seed({1}) and 0
T.Generator().manual_seed({1}).initial_seed()
T.random.fork_rng(range({0})) and 0
T.set_num_threads({1})
T.set_num_interop_threads({1})
T.set_printoptions(precision={4}, edgeitems={3}, linewidth={80})
T.promote_types(T.int32, T.int64) and T.finfo(T.float32).bits * {1}
F.max_pool1d(seq, {2}, {1}, {0}, {1})
F.max_pool2d(img, {2}, {1}, {0}, {1})
F.max_pool2d(img, ({2}, {1}), ({1}, {2}), ({0}, {0}), ({1}, {1}), True)
F.max_pool2d(img, {2}, {1}, {0}, {1}, True, True)
F.max_pool3d(vol, {2}, {1}, {0}, {1})
F.avg_pool1d(seq, {2}, {1}, {0})
F.avg_pool2d(img, {2}, {1}, {0}, divisor_override={2})
F.avg_pool2d(img, {2}, {1}, {0}, True, False)
F.avg_pool3d(vol, {2}, {1}, {0}, divisor_override={2})
F.lp_pool1d(seq, 2.0, {2}, {1})
F.lp_pool2d(img, {2}.0, {2}, {1})
F.adaptive_avg_pool1d(seq, {2})
F.adaptive_avg_pool2d(img, ({2}, {1}))
F.adaptive_avg_pool3d(vol, {2})
F.adaptive_max_pool1d(seq, {2})
F.adaptive_max_pool2d(img, ({2}, {1}))
F.adaptive_max_pool3d(vol, {2})
F.fractional_max_pool2d(img, {2}, {2}).shape
F.fractional_max_pool2d(img, 2, output_ratio=({1}.0, 0.5)).shape
F.fractional_max_pool3d(vol, 2, output_size={1}).shape
F.max_unpool1d(seq, T.zeros_like(seq, dtype=T.int64), {2}, {2}, {0})
F.max_unpool2d(img, T.arange(16).reshape(1, 4, 4), {2}, {2}, {0})
F.max_unpool2d(img, T.arange(16).reshape(1, 4, 4), 2, output_size=({8}, {8}))
F.max_unpool2d(img[:, :1, :1], T.tensor([[[{1}]]]), 2)
F.max_unpool3d(vol, T.arange(64).reshape(1, 4, 4, 4), {2}, {2}, {0})
F.conv1d(seq, T.ones(1, 1, 2), None, {1}, {1}, {1}, {1})
F.conv2d(img, T.ones(1, 1, 2, 2), None, {1}, {1}, {1}, {1})
F.conv2d(img, T.ones(1, 1, 2, 2), None, ({1}, 1), (1, {1}), ({1}, 2))
F.conv3d(vol, T.ones(1, 1, 2, 2, 2), None, {1}, {1}, {1}, {1})
F.conv_tbc(T.ones(3, 1, 2), T.ones(2, 2, 1), T.zeros(1), {1})
F.conv_transpose1d(seq, T.ones(1, 1, 2), None, {2}, {1}, {1}, {1}, {1})
F.conv_transpose2d(img, T.ones(1, 1, 2, 2), None, {2}, {1}, {1}, {1}, {1})
F.conv_transpose3d(vol, T.ones(1, 1, 2, 2, 2), None, {2}, {1}, {1}, {1}, {1})
F.conv2d(img, T.ones(1, 1, 2, 2), padding='same', dilation={2})
F.unfold(img[None], {2}, {1}, {0}, {1})
F.fold(T.ones(1, 4, 9), {4}, {2}, {1}, {0}, {1})
F.fold(T.ones(1, 7), {16}, {2})
F.fold(T.ones(1, 4, 9), ({4}, {4}), ({2}, 2))
F.interpolate(img[None], {6})
F.interpolate(img[None], scale_factor={2}.0)
F.interpolate(img[None], ({6}, {2}), mode='bilinear')
F.interpolate(img[None], scale_factor={2}.0, mode='bicubic')
F.interpolate(img[None], scale_factor=({2}.0, 2), mode='bilinear', recompute_scale_factor=True)
F.interpolate(img[None], {2}, mode='area')
F.interpolate(img[None], {2}, mode='nearest-exact')
F.interpolate(img[None], {2}, mode='bilinear', antialias=True)
F.interpolate(seq[None], {6}, mode='linear')
F.interpolate(vol[None], {2}, mode='trilinear')
F.upsample(img[None], {6})
F.pixel_shuffle(T.ones(1, 4, 2, 2), {2})
F.pixel_unshuffle(T.ones(1, 1, 4, 4), {2})
F.channel_shuffle(T.ones(1, 4, 2, 2), {2})
F.grid_sample(img[None], T.full((1, 1, 1, 2), {1}.0))
F.grid_sample(img[None], T.full((1, 1, 1, 2), {1}.0), padding_mode='reflection')
F.grid_sample(img[None], T.full((1, 1, 1, 2), {1}.0), padding_mode='border', mode='bicubic')
F.affine_grid(T.ones(1, 2, 3), ({1}, {1}, {2}, {2}))
F.local_response_norm(img[None], {2})
F.group_norm(T.ones(2, 4), {2})
F.layer_norm(x, ({3},))
F.rms_norm(x, ({3},))
F.normalize(x, dim={0})
F.softmax(x, {0})
F.softmin(x, {0})
F.log_softmax(x, {0})
F.gumbel_softmax(x, dim={0}).shape
F.glu(T.ones(4, 4), {0})
F.dropout(x, {0}.0)
F.alpha_dropout(x, {0}.0)
F.dropout2d(img, {0}.0)
F.scaled_dot_product_attention(x, x, x, dropout_p={0}.0)
F.hardshrink(x, {1}.0)
F.pdist(x, {2}.0)
F.triplet_margin_loss(x, x, x, p={2}.0)
T.pairwise_distance(x, x, {2}.0)
T.nn.functional.linear_cross_entropy(x, x, T.tensor([0, {1}]), ignore_index={1})
T.nn.Linear({2}, {3}).weight.shape
T.nn.Bilinear({2}, {3}, {1}).weight.shape
T.nn.Conv1d({2}, {2}, {1}, {1}, {0}, {1}, {1}).weight.shape
T.nn.Conv2d({2}, {2}, {1}, {1}, {0}, {1}, {1})(T.ones(1, 2, 4, 4)).shape
T.nn.Conv3d({2}, {2}, {1}, groups={1}).weight.shape
T.nn.ConvTranspose1d({2}, {2}, {1}, {1}, {0}, {0}, {1}).weight.shape
T.nn.ConvTranspose2d({2}, {2}, {1}, {1}, {0}, {0}, {1})(T.ones(1, 2, 4, 4)).shape
T.nn.ConvTranspose2d(1, 1, 2)(img[None], output_size=({5}, {5})).shape
T.nn.ConvTranspose3d({2}, {2}, {1}, groups={1}).weight.shape
T.nn.Embedding({3}, {2}, padding_idx={1}).weight.shape
T.nn.EmbeddingBag({3}, {2}, padding_idx={1}).weight.shape
T.nn.RNN({2}, {3}, 1).weight_ih_l0.shape
T.nn.LSTM({2}, {3}, 1, proj_size={1}).weight_ih_l0.shape
T.nn.GRU({2}, {3}, 1).weight_ih_l0.shape
T.nn.RNNCell({2}, {3}).weight_ih.shape
T.nn.LSTMCell({2}, {3}).weight_ih.shape
T.nn.GRUCell({2}, {3}).weight_ih.shape
T.nn.LayerNorm({3}).weight.shape
T.nn.RMSNorm({3}).weight.shape
T.nn.GroupNorm({2}, {4}).weight.shape
T.nn.BatchNorm1d({3}).weight.shape
T.nn.BatchNorm2d({3}).weight.shape
T.nn.BatchNorm3d({3}).weight.shape
T.nn.InstanceNorm1d({3}, affine=True).weight.shape
T.nn.InstanceNorm2d({3}, affine=True).weight.shape
T.nn.InstanceNorm3d({3}, affine=True).weight.shape
T.nn.PReLU({3}).weight.shape
T.nn.MultiheadAttention({4}, {2}, kdim={4}, vdim={4}).out_proj.weight.shape
T.nn.TransformerEncoderLayer({4}, {2}, {8}).linear1.weight.shape
T.nn.TransformerDecoderLayer({4}, {2}, {8}).linear1.weight.shape
len(T.nn.Transformer({4}, {2}, 1, 1, {8}).encoder.layers)
T.nn.AdaptiveLogSoftmaxWithLoss({4}, {8}, [{2}, {4}]).head.weight.shape
T.nn.LazyLinear({3})(x).shape
T.nn.LazyConv1d({3}, {1})(seq).shape
T.nn.LazyConv2d({3}, {1})(img).shape
T.nn.LazyConv3d({3}, {1})(vol).shape
T.nn.LazyConvTranspose1d({3}, {1})(seq).shape
T.nn.LazyConvTranspose2d({3}, {1})(img).shape
T.nn.LazyConvTranspose3d({3}, {1})(vol).shape
T.nn.Upsample({6})(img[None])
T.nn.Upsample(scale_factor={2}.0)(img[None])
T.nn.UpsamplingNearest2d({6})(img[None])
T.nn.UpsamplingBilinear2d(scale_factor={2}.0)(img[None])
T.nn.PixelShuffle({2})(T.ones(1, 4, 2, 2))
T.nn.PixelUnshuffle({2})(T.ones(1, 1, 4, 4))
T.nn.ChannelShuffle({2})(T.ones(1, 4, 2, 2))
T.nn.Flatten({0}, {1})(x)
T.nn.Unflatten({1}, ({3}, {1}))(x)
T.nn.GLU({0})(T.ones(4, 4))
T.nn.Softmax({0})(x)
T.nn.Softmin({0})(x)
T.nn.LogSoftmax({0})(x)
T.nn.CosineSimilarity({0})(x, x)
T.nn.LocalResponseNorm({2})(img[None])
T.nn.CrossMapLRN2d({2})(img[None])
T.nn.MaxPool2d({2}, {1}, {0}, {1})(img)
T.nn.AvgPool2d({2}, {1}, {0}, divisor_override={2})(img)
T.nn.AvgPool3d({2}, {1}, {0}, divisor_override={2})(vol)
T.nn.MaxUnpool2d({2}, {2}, {0})(img, T.arange(16).reshape(1, 4, 4))
T.nn.Fold({4}, {2}, {1}, {0}, {1})(T.ones(1, 4, 9))
T.nn.Unfold({2}, {1}, {0}, {1})(img[None])
T.nn.ConstantPad1d({1}, 0.0)(seq)
T.nn.ReflectionPad1d({1})(seq)
T.nn.ReplicationPad2d({1})(img)
T.nn.ZeroPad2d({1})(img)
T.nn.CircularPad1d({1})(seq)
T.nn.Dropout({0}.0)(x)
T.nn.NLLLoss(ignore_index={1})(x, T.tensor([0, 1]))
T.nn.CrossEntropyLoss(ignore_index={1})(x, T.tensor([0, 1]))
T.nn.CTCLoss({0})(T.zeros(4, 1, 3), T.tensor([[1, 2]]), T.tensor([4]), T.tensor([2]))
T.nn.MultiMarginLoss({1})(x, T.tensor([0, 1]))
T.nn.init.dirac_(T.ones(2, 2, 3), {1})
T.nn.init.sparse_(T.ones(2, 3), {0}.0).shape
T.nn.utils.spectral_norm(T.nn.Linear(2, 2), 'weight', dim={0}).weight.shape
T.nn.utils.weight_norm(T.nn.Linear(2, 2), dim={0}).weight.shape
T.nn.utils.parametrizations.spectral_norm(T.nn.Linear(2, 2), 'weight', dim={0}).weight.shape
T.nn.utils.parametrizations.weight_norm(T.nn.Linear(2, 2), dim={0}).weight.shape
T.nn.utils.prune.ln_structured(T.nn.Linear(2, 2), 'weight', {1}, 2, {0}).weight.shape
T.nn.utils.prune.random_structured(T.nn.Linear(2, 2), 'weight', {1}, {0}).weight.shape
T.nn.utils.prune.l1_unstructured(T.nn.Linear(2, 2), 'weight', {1}).weight.shape
T.nn.utils.prune.random_unstructured(T.nn.Linear(2, 2), 'weight', {1}).weight.shape
T.nn.utils.rnn.pack_padded_sequence(x, [{2}, {1}]).data
T.nn.utils.rnn.pack_padded_sequence(x, T.tensor([{2}, {1}, 1]), enforce_sorted=False).data
T.nn.utils.rnn.pad_packed_sequence(T.nn.utils.rnn.pack_sequence([v, v]), total_length={3})
T.utils.checkpoint.checkpoint_sequential([T.sin, T.cos], {1}, v, use_reentrant=False)
T.func.grad(lambda a, b: (a * b).sum(), argnums={0})(v, v)
T.func.jacrev(lambda a: a * 2, argnums={0}, chunk_size={1})(v)
T.func.vmap(lambda a: a * 2, in_dims={0}, out_dims={0}, chunk_size={1})(x)
T.utils.data.Subset([1, 2], [{1}])[0]
len(T.utils.data.BatchSampler(range(4), {2}, False))
len(T.utils.data.DataLoader([1, 2, 3], batch_size={2}))
list(T.utils.data.DataLoader([1, 2, 3], batch_size={2}))
len(T.utils.data.RandomSampler([1, 2], True, {1}))
len(T.utils.data.WeightedRandomSampler([0.5, 0.5], {1}))
len(T.utils.data.DistributedSampler([1, 2, 3], {2}, {0}, seed={1}))
len(T.utils.data.random_split([1, 2, 3], [{1}, {2}]))
T.distributions.Multinomial({3}, T.ones(2)).log_prob(T.tensor([1.0, {2}.0]))
T.distributions.Binomial({3}, T.tensor(0.5)).log_prob(T.tensor({2}.0))
T.distributions.Binomial({2}, T.tensor(0.5)).enumerate_support()
T.distributions.Normal(0.0, 1.0).sample(({2},)).shape
T.distributions.Categorical(T.ones(3)).log_prob(T.tensor({1}))
T.distributions.Independent(T.distributions.Normal(v, v.abs() + 1), {1}).event_shape
T.optim.lr_scheduler.StepLR(sgd(), {1}).get_last_lr()
T.optim.lr_scheduler.ConstantLR(sgd(), total_iters={1}).get_last_lr()
T.optim.lr_scheduler.CosineAnnealingLR(sgd(), {3}).get_last_lr()
T.optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd(), {3}, {1}).get_last_lr()
T.optim.lr_scheduler.CyclicLR(sgd(), 0.1, 1.0, {2}, {2}).get_last_lr()
T.optim.lr_scheduler.LinearLR(sgd(), total_iters={2}).get_last_lr()
T.optim.lr_scheduler.MultiStepLR(sgd(), [{1}]).get_last_lr()
T.optim.lr_scheduler.OneCycleLR(sgd(), 0.1, {4}).get_last_lr()
T.optim.lr_scheduler.OneCycleLR(sgd(), 0.1, epochs={1}, steps_per_epoch={4}).get_last_lr()
T.optim.lr_scheduler.PolynomialLR(sgd(), {4}).get_last_lr()
T.optim.lr_scheduler.ReduceLROnPlateau(sgd(), patience={1}, cooldown={0}) and 0
T.optim.lr_scheduler.SequentialLR(sgd(), [], [{1}])
T.add(T.tensor([1]), T.tensor([1]), alpha={2})
T.scalar_tensor({1})
T.full_like(T.tensor([1]), {1})
T.randint_like(x, {0}, {3}).shape
x.new_empty({2}, {3}).shape
x.clone().index_put_((T.tensor([{1}]), T.tensor([{2}])), T.tensor(1.0), accumulate=True)
x.clone().put_(T.tensor({1}), T.tensor(1.0))
T.linalg.lu_solve(T.eye(2), T.tensor([{1}, 2], dtype=T.int32), x[:, :2])
T.lu_unpack(T.eye(2), T.tensor([{1}, 2], dtype=T.int32))
T.linalg.ldl_solve(T.eye(2), T.tensor([{1}, 2], dtype=T.int32), x[:, :2])
T.nn.utils.rnn.unpad_sequence(x, T.tensor([{2}, {1}]))
T.nn.utils.rnn.pad_sequence([v, v], padding_value={1})
T.nn.Embedding.from_pretrained(x, padding_idx={1}).weight
T.nn.Sequential(T.nn.ReLU(), T.nn.Tanh())[{1}].training
T.utils.data.ConcatDataset([[1, 2], [3]])[{1}]
T.utils.data.TensorDataset(v)[{1}]
T.distributions.Binomial({3}, T.tensor(0.5)).sample().shape
T.distributions.Multinomial({3}, T.ones(2)).sample().shape
T.distributions.Normal(v, 1.0).expand(({2}, 3)).batch_shape
T.distributions.Categorical(T.ones(3)).sample(({2}, {1})).shape
T.distributions.transforms.ReshapeTransform((3,), ({3}, 1))(v)
T.distributions.constraints.integer_interval({0}, {3}).check(v)
T.optim.swa_utils.SWALR(sgd(), 0.1, {3}).get_last_lr()
T.vmap(lambda a: a, {0}, {0})(x)
T.autograd.functional.jacobian(lambda a: a.repeat({1}), v).shape
"""

NAMES = """
x = T.arange(6.0).reshape(2, 3)
v = T.tensor([1.0, -2.0, 3.0])
seq = T.arange(5.0).reshape(1, 5)
img = T.arange(16.0).reshape(1, 4, 4)
vol = T.arange(64.0).reshape(1, 4, 4, 4)
"""


def made(T: Any) -> Any:
    """What makes the tensor of a recipe."""
    return lambda recipe: make(T, Call((recipe,))).args[0]


def names(T: Any) -> dict[str, Any]:
    """What the calls refer to, made anew by package T."""
    scope: dict[str, Any] = {"T": T, "F": T.nn.functional}
    exec(NAMES, scope)

    def put(x: Any, index: Any, value: Any) -> Any:
        x[index] = value
        return x

    return scope | {
        "put": put,
        "made": made(T),
        "Recipe": Recipe,
        "sgd": lambda: T.optim.SGD([T.ones(1, requires_grad=True)], 0.1),
    }


def calls(template: str) -> Iterator[str]:
    """The call with each of its numbers replaced, one at a time and all at once."""
    parts = re.split(r"\{(-?\d+)\}", template)
    fixed, usual = parts[::2], parts[1::2]

    def filled(values: list[str]) -> str:
        return "".join(text + value for text, value in zip(fixed, [*values, ""], strict=True))

    for number in NUMBERS:
        yield filled([str(number)] * len(usual))
        for i in range(len(usual)) if len(usual) > 1 else ():
            yield filled([*usual[:i], str(number), *usual[i + 1 :]])
    for i, rest in enumerate(fixed[1:]):
        if rest.startswith(".0"):
            shortened = [*fixed[: i + 1], rest.removeprefix(".0"), *fixed[i + 2 :]]
            for real in REALS:
                values = [*usual[:i], f"float('{real}')", *usual[i + 1 :], ""]
                yield "".join(a + b for a, b in zip(shortened, values, strict=True))


def template_of(path: str, call: Call) -> str:
    """A call of the op table as text, its integers in braces."""

    def written(arg: Any) -> str:
        if isinstance(arg, Recipe):
            return f"made({arg!r})"
        if isinstance(arg, Dtype):
            return f"T.{arg.name}"
        if isinstance(arg, list):
            return f"[{', '.join(map(written, arg))}]"
        if isinstance(arg, tuple):
            return f"({''.join(written(item) + ', ' for item in arg)})"
        return f"{{{arg}}}" if type(arg) is int else repr(arg)

    args = [*map(written, call.args), *(f"{name}={written(arg)}" for name, arg in call.kwargs)]
    return f"T.{path}({', '.join(args)})"


def described(result: Any) -> Any:
    """A result as JSON can hold it; of a large one its kind alone."""
    if hasattr(result, "requires_grad"):
        kind = [str(result.dtype).split(".")[-1], list(result.shape)]
        return [*kind, result.detach().flatten().tolist() if result.numel() <= 4096 else None]
    if isinstance(result, (list, tuple)):
        return [described(item) for item in result[:64]]
    return result if isinstance(result, (bool, int, float, str)) else None


def outcome(call: str, scope: dict[str, Any]) -> dict[str, Any]:
    """What becomes of a call."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {"result": described(eval(call, scope))}
    except Exception as error:
        return {"error": type(error).__name__, "text": (str(error).splitlines() or [""])[0]}


def bound_memory() -> None:
    """Let this process have so much more than it has now; sanitizers have a bound of their own."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    if now < 1 << 40:
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))


def main(package: str, listing: str) -> None:
    T = __import__(package)
    __import__(f"{package}.nn.utils.prune")
    with open(listing) as file:
        todo = json.load(file)
    names(T)  # imports what is imported late
    bound_memory()
    for call in todo:
        signal.alarm(SECONDS)
        print(json.dumps(outcome(call, names(T)), default=str), flush=True)
        signal.alarm(0)


def agree(ours: Any, theirs: Any) -> bool:
    """Whether two described results are the same up to rounding."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if isinstance(ours, float) or isinstance(theirs, float):
        if not isinstance(ours, (int, float)) or not isinstance(theirs, (int, float)):
            return False
        same = ours == theirs or math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-6)
        return same or (math.isnan(ours) and math.isnan(theirs))
    return bool(ours == theirs)


if __name__ == "__main__":
    main(*sys.argv[1:])
