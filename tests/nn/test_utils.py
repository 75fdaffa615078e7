"""nn.utils and nn.init do what PyTorch's do."""

import copy
import importlib
import warnings
from typing import Any

import numpy as np
import pytest
from both import alike, both, both_raise, error_of, wend

nn = wend.nn


def filled(torch: Any, *shape: int) -> Any:
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(float(count)) * 0.7 - 1.3).sin().reshape(shape)


def linear(torch: Any, n: int = 3, m: int = 2) -> Any:
    made = torch.nn.Linear(n, m)
    with torch.no_grad():
        made.weight.copy_(filled(torch, m, n))
        made.bias.copy_(filled(torch, m))
    return made


def with_grads(torch: Any, *scales: float) -> list[Any]:
    made = []
    for i, scale in enumerate(scales):
        p = torch.nn.Parameter(filled(torch, 2, i + 1))
        p.grad = filled(torch, 2, i + 1) * scale
        made.append(p)
    return made


@pytest.mark.parametrize("kind", [2.0, 1.0, float("inf")])
@pytest.mark.parametrize("bound", [0.1, 100.0])
def test_gradients_are_clipped_by_norm(kind: float, bound: float) -> None:
    def program(torch: Any) -> Any:
        ps = with_grads(torch, 1.0, 3.0)
        total = torch.nn.utils.clip_grad_norm_(ps, bound, kind)
        return [total, *(p.grad for p in ps), torch.nn.utils.get_total_norm(ps[0].grad, kind)]

    both(program)


@alike
def test_gradients_are_clipped_by_value(torch: Any) -> Any:
    ps = with_grads(torch, 1.0, 3.0)
    torch.nn.utils.clip_grad_value_(iter(ps), 0.5)
    empty = torch.nn.utils.clip_grad_norm_([], 1.0)
    return [*(p.grad for p in ps), empty]


def test_a_norm_that_is_not_finite_can_be_refused() -> None:
    def program(torch: Any) -> Any:
        p = torch.nn.Parameter(torch.ones(1))
        p.grad = torch.tensor([float("nan")])
        torch.nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)

    both_raise(program, RuntimeError)


@alike
def test_parameters_are_a_vector_and_back(torch: Any) -> Any:
    m = linear(torch)
    vector = torch.nn.utils.parameters_to_vector(m.parameters())
    torch.nn.utils.vector_to_parameters(vector.detach() * 2, m.parameters())
    return [vector, m.weight, m.bias]


@alike
def test_weight_norm_by_parametrization(torch: Any) -> Any:
    m = torch.nn.utils.parametrizations.weight_norm(linear(torch))
    x = filled(torch, 4, 3)
    y = m(x)
    y.square().sum().backward()
    found = [repr(m), y, list(m.state_dict()), m.parametrizations.weight.original0.grad]
    found += [m.parametrizations.weight.original1.grad, copy.deepcopy(m)(x)]
    m.load_state_dict({"bias": m.bias, "weight_g": torch.ones(2, 1), "weight_v": torch.ones(2, 3)})
    found.append(m.weight)
    torch.nn.utils.parametrize.remove_parametrizations(m, "weight")
    return [*found, repr(m), m.weight, [n for n, _ in m.named_parameters()]]


@alike
def test_weight_norm_by_hook(torch: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        m = torch.nn.utils.weight_norm(linear(torch), dim=1)
    x = filled(torch, 4, 3)
    m(x).square().sum().backward()
    found = [m.weight_g.grad, m.weight_v.grad, list(m.state_dict())]
    torch.nn.utils.remove_weight_norm(m)
    return [*found, m(x), [n for n, _ in m.named_parameters()]]


@pytest.mark.parametrize("way", ["parametrization", "hook"])
def test_spectral_norm_divides_by_the_largest_singular_value(way: str) -> None:
    m = linear(wend, 4, 3)
    largest = np.linalg.svd(m.weight.detach().numpy(), compute_uv=False)[0]
    original = m.weight.detach().clone()
    make = nn.utils.spectral_norm if way == "hook" else nn.utils.parametrizations.spectral_norm
    m = make(m, n_power_iterations=50)
    x = filled(wend, 2, 4)
    m(x)
    assert wend.allclose(m.weight, original / float(largest), atol=1e-5)
    m.eval()
    before = m(x)
    assert wend.equal(m(x), before)
    before.sum().backward()


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_orthogonal_weights_stay_so_while_they_are_trained(shape: tuple[int, int]) -> None:
    m = nn.utils.parametrizations.orthogonal(nn.Linear(*shape))
    for _ in range(3):
        w = m.weight if shape[1] >= shape[0] else m.weight.t()
        size = w.size(1) if w.size(0) >= w.size(1) else w.size(0)
        gram = w.t() @ w if w.size(0) >= w.size(1) else w @ w.t()
        assert wend.allclose(gram, wend.eye(size), atol=1e-4)
        m.zero_grad()
        m(filled(wend, 2, shape[0])).square().sum().backward()
        with wend.no_grad():
            for p in m.parameters():
                p.sub_(0.1 * p.grad)


@alike
def test_parametrizations_of_ones_own(torch: Any) -> Any:
    class Symmetric(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    class Doubled(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    class Wrong(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x[:1]

    parametrize = torch.nn.utils.parametrize
    m = linear(torch, 3, 3)
    parametrize.register_parametrization(m, "weight", Symmetric())
    found = [m.weight, repr(m), parametrize.is_parametrized(m, "weight")]
    m.weight = torch.ones(3, 3)
    found.append(m.weight)
    parametrize.register_parametrization(m, "weight", Doubled())
    found += [m.weight, error_of(lambda: setattr(m, "weight", torch.ones(3, 3)))]
    with parametrize.cached():
        found.append(m.weight is m.weight)
    found.append(error_of(lambda: parametrize.register_parametrization(m, "bias", Wrong())))
    found.append(error_of(lambda: parametrize.register_parametrization(m, "weight", Wrong())))
    parametrize.remove_parametrizations(m, "weight", leave_parametrized=False)
    return [*found, m.weight, type(m).__name__]


@alike
def test_sequences_are_packed_and_padded(torch: Any) -> Any:
    rnn = torch.nn.utils.rnn
    rows = [filled(torch, n, 2) for n in (2, 4, 1)]
    padded = rnn.pad_sequence(rows)
    left = rnn.pad_sequence(rows, True, 7.0, "left")
    packed = rnn.pack_sequence(rows, enforce_sorted=False)
    back, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0)
    longer, _ = rnn.pad_packed_sequence(packed, total_length=6)
    found = [padded, left, *packed, back, lengths, longer, *rnn.unpack_sequence(packed)]
    # PyTorch turns its argument around in passing.
    found += [rnn.unpad_sequence(padded.clone(), lengths), packed.double().data.dtype]
    found += [error_of(lambda: rnn.pack_sequence(rows)), error_of(lambda: rnn.pad_sequence([]))]
    found.append(error_of(lambda: rnn.pad_packed_sequence(packed, total_length=2)))
    return found


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize("proj", [0, 2])
def test_recurrent_layers_take_packed_sequences(kind: str, both_ways: bool, proj: int) -> None:
    if proj and kind != "LSTM":
        pytest.skip("only LSTM projects")

    def program(torch: Any) -> Any:
        rest = {"proj_size": proj} if proj else {}
        m = getattr(torch.nn, kind)(2, 3, 2, bidirectional=both_ways, **rest)
        with torch.no_grad():
            for p in m.parameters():
                p.copy_(filled(torch, *p.shape))
        rows = [filled(torch, n, 2) for n in (2, 4, 1)]
        x = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
        output, state = m(x)
        output.data.square().sum().backward()
        again, _ = m(x, state)
        return [*output, state, again.data, *(p.grad for p in m.parameters())]

    both(program)


@alike
def test_pruning(torch: Any) -> Any:
    prune = importlib.import_module(f"{torch.__name__}.nn.utils.prune")
    m = linear(torch, 3, 4)
    prune.l1_unstructured(m, "weight", 3)
    found = [m.weight, list(m.state_dict()), prune.is_pruned(m)]
    prune.l1_unstructured(m, "weight", 0.5)
    m(filled(torch, 2, 3)).sum().backward()
    found += [m.weight, m.weight_orig.grad]
    prune.remove(m, "weight")
    n = linear(torch, 3, 4)
    prune.ln_structured(n, "weight", 2, 2, dim=0)
    found += [m.weight, list(m.state_dict()), n.weight_mask]
    a, b = linear(torch, 2, 2), linear(torch, 3, 2)
    pairs = [(a, "weight"), (b, "weight")]
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=4)
    found += [a.weight, b.weight, error_of(lambda: prune.l1_unstructured(b, "bias", 9))]
    return [*found, error_of(lambda: prune.l1_unstructured(b, "bias", 1.5))]


@alike
def test_modules_are_called_with_other_parameters(torch: Any) -> Any:
    m = linear(torch)
    call = torch.func.functional_call
    w = torch.ones(2, 3, requires_grad=True)
    y = call(m, {"weight": w}, (filled(torch, 1, 3),))
    y.sum().backward()
    s = torch.nn.Sequential(linear(torch), torch.nn.BatchNorm1d(2))
    t = call(s, [{"0.weight": torch.ones(2, 3)}, {"1.bias": torch.ones(2)}], filled(torch, 4, 3))
    found = [y, w.grad, m.weight.grad, m.weight, t]
    wrong = [{"weight": w}, {"weight": w, "bias": w, "more": w}]
    x = filled(torch, 1, 3)
    return [*found, *(error_of(lambda g=g: call(m, g, x, strict=True)) for g in wrong)]


@alike
def test_skip_init_gives_shapes(torch: Any) -> Any:
    m = torch.nn.utils.skip_init(torch.nn.Linear, 3, 2)
    return [repr(m), tuple(m.weight.shape), m.weight.requires_grad]


FILLS = {
    "uniform_": lambda i, t: i.uniform_(t, -2, 1),
    "normal_": lambda i, t: i.normal_(t, 1, 2),
    "trunc_normal_": lambda i, t: i.trunc_normal_(t, 0.5, 1.0, -1.0, 1.2),
    "narrow trunc_normal_": lambda i, t: i.trunc_normal_(t, 0.0, 1.0, 1.0, 3.0),
    "xavier_uniform_": lambda i, t: i.xavier_uniform_(t, 1.5),
    "xavier_normal_": lambda i, t: i.xavier_normal_(t),
    "kaiming_uniform_": lambda i, t: i.kaiming_uniform_(t, 0.3, "fan_out"),
    "kaiming_normal_": lambda i, t: i.kaiming_normal_(t, nonlinearity="relu"),
    "orthogonal_": lambda i, t: i.orthogonal_(t, 2.0),
    "sparse_": lambda i, t: i.sparse_(t, 0.3, 1.0),
}


@pytest.mark.parametrize("name", FILLS)
def test_parameters_are_filled_with_pytorchs_distributions(name: str) -> None:
    import torch

    def facts(package: Any) -> list[float]:
        package.manual_seed(0)
        t = FILLS[name](package.nn.init, package.empty(120, 100)).numpy()
        marks = np.quantile(t, [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0])
        return [t.mean(), t.std(), *marks[1:-1]]

    np.testing.assert_allclose(facts(wend), facts(torch), atol=0.06, rtol=0.03)


@alike
def test_fills_that_are_not_random(torch: Any) -> Any:
    init = torch.nn.init
    kernel = torch.empty(4, 2, 3, 3)
    found = [init.eye_(torch.empty(2, 3)), init.dirac_(kernel, 2), init.ones_(torch.empty(2))]
    found += [init.zeros_(torch.empty(2)), init.constant_(torch.empty(2), 5.0)]
    kinds = ("linear", "conv2d", "sigmoid", "tanh", "relu", "selu")
    found += [float(init.calculate_gain(kind)) for kind in kinds]
    found += [init.calculate_gain("leaky_relu", 0.2), init.calculate_gain("leaky_relu")]
    wrong = (
        lambda: init.calculate_gain("no"),
        lambda: init.calculate_gain("leaky_relu", "a"),
        lambda: init.eye_(torch.empty(2)),
        lambda: init.dirac_(torch.empty(2)),
        lambda: init.orthogonal_(torch.empty(2)),
        lambda: init.xavier_uniform_(torch.empty(2)),
        lambda: init.kaiming_normal_(torch.empty(2, 2), mode="no"),
    )
    return [*found, *(error_of(each) for each in wrong)]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 1])
def test_bags_of_embeddings(mode: str, padding: int | None) -> None:
    def program(torch: Any) -> Any:
        m = torch.nn.EmbeddingBag(5, 3, mode=mode, padding_idx=padding)
        with torch.no_grad():
            m.weight.copy_(filled(torch, 5, 3))
        flat = torch.tensor([0, 1, 4, 4, 2, 1])
        outputs = [m(flat, torch.tensor([0, 2, 2, 5])), m(flat.reshape(2, 3))]
        if mode == "sum":
            outputs.append(m(flat, torch.tensor([0, 3]), filled(torch, 6)))
        for y in outputs:
            y.square().sum().backward()
        return [repr(m), *outputs, m.weight.grad]

    both(program)


@alike
def test_adaptive_softmax(torch: Any) -> Any:
    m = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, [5, 10], head_bias=True)
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(filled(torch, *p.shape))
    x, target = filled(torch, 6, 16), torch.tensor([0, 4, 7, 12, 19, 9])
    output, loss = m(x, target)
    loss.backward()
    found = [repr(m), output, loss, m.log_prob(x), m.predict(x), m.head.weight.grad]
    found += [m.tail[0][0].weight.grad, m(x[0], target[0]).output]
    return [*found, error_of(lambda: m(x, target + 9)), error_of(lambda: m(x, target[:2]))]


@alike
def test_layers_that_the_database_leaves_out(torch: Any) -> Any:
    nn = torch.nn
    x = filled(torch, 2, 8, 4, 4)
    found = [nn.PixelShuffle(2)(x), nn.PixelUnshuffle(2)(x), nn.ChannelShuffle(4)(x)]
    found += [nn.Flatten()(x), nn.Unflatten(1, (2, 4))(x), nn.CrossMapLRN2d(3)(x)]
    a, b = x.reshape(16, 16), x.reshape(16, 16).flip(0)
    found += [nn.PairwiseDistance()(a, b), nn.CosineSimilarity()(a, b), nn.Identity(5)(a)]
    found += [nn.Hardsigmoid()(a), nn.TripletMarginLoss()(a, b, a * 2)]
    found += [nn.TripletMarginWithDistanceLoss(margin=2.0, swap=True)(a, b, a * 2)]
    modules = (
        nn.PixelShuffle(2), nn.ChannelShuffle(4), nn.Flatten(), nn.Unflatten(1, (2, 4)),
        nn.AlphaDropout(0.2), nn.Dropout2d(0.3), nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.Fold((4, 5), 2), nn.Unfold(3, padding=1), nn.MaxUnpool2d(2), nn.RReLU(),
        nn.Embedding(4, 2, padding_idx=-1, max_norm=1.0), nn.CTCLoss(), nn.PairwiseDistance(),
        nn.LazyConv2d(3, 2), nn.FractionalMaxPool2d(2, output_ratio=0.5), nn.GLU(1),
    )  # fmt: skip
    return [*found, *(repr(m) for m in modules), error_of(lambda: nn.Unflatten(1, ("a",)))]


def test_masked_and_causal_transformers_agree() -> None:
    def program(torch: Any) -> Any:
        m = torch.nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
        with torch.no_grad():
            for p in m.parameters():
                p.copy_(filled(torch, *p.shape) * 0.3)
        src, tgt = filled(torch, 2, 5, 8), filled(torch, 2, 4, 8)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(4)
        padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
        y = m(
            src, tgt, tgt_mask=mask, src_key_padding_mask=padding, memory_key_padding_mask=padding
        )
        y.square().sum().backward()
        return [y, mask, *(p.grad for p in m.parameters())]

    with warnings.catch_warnings(action="ignore"):
        both(program)


def fused(torch: Any, transpose: bool, affine: bool) -> Any:
    kind = torch.nn.ConvTranspose2d if transpose else torch.nn.Conv2d
    conv, bn = kind(2, 3, 2, bias=affine).double(), torch.nn.BatchNorm2d(3, affine=affine).double()
    linear, line = torch.nn.Linear(4, 3).double(), torch.nn.BatchNorm1d(3).double()
    for module in (conv, bn, linear, line):
        for k, each in enumerate([*module.parameters(), *module.buffers()]):
            if each.is_floating_point():
                count = torch.arange(each.numel(), dtype=torch.float64)
                each.data.copy_(((count + k) * 1.7).sin().reshape(each.shape).abs() + 0.1)
        module.eval()
    utils = torch.nn.utils
    layers = [utils.fuse_conv_bn_eval(conv, bn, transpose), utils.fuse_linear_bn_eval(linear, line)]
    return [[each.detach(), each.requires_grad] for layer in layers for each in layer.parameters()]


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_a_layer_that_is_fused_with_its_batch_norm_is_pytorchs(
    transpose: bool, affine: bool
) -> None:
    both(lambda torch: fused(torch, transpose, affine))


def test_a_batch_norm_that_learns_is_not_fused() -> None:
    def program(torch: Any) -> Any:
        conv, bn = torch.nn.Conv2d(1, 1, 1), torch.nn.BatchNorm2d(1)
        refused = [error_of(lambda: torch.nn.utils.fuse_conv_bn_eval(conv, bn))]
        linear, line = torch.nn.Linear(2, 3).eval(), torch.nn.BatchNorm1d(2).eval()
        return [*refused, error_of(lambda: torch.nn.utils.fuse_linear_bn_eval(linear, line))]

    both(program)


@alike
def test_weights_of_convolutions_in_another_order_in_memory(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 2, 3), torch.nn.Linear(2, 2))
    same = torch.nn.utils.convert_conv2d_weight_memory_format(model, torch.channels_last) is model
    return same, model[0].weight.stride(), model[0].weight.requires_grad, model[1].weight.stride()
