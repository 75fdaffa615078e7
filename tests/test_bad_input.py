"""Bad input gets PyTorch's exception and first line; odd input gets PyTorch's answer.

Each case runs on both; what ops refuse for their own reasons is tests/ops.
"""

from typing import Any

import pytest
from both import STANDIN, both, both_raise, raises_alike, wend
from samples import leaf

REFUSED = {
    "broadcast add": lambda torch: torch.ones(2, 3) + torch.ones(4),
    "broadcast inplace": lambda torch: torch.ones(3).add_(torch.ones(2, 3)),
    "matmul": lambda torch: torch.ones(2, 3) @ torch.ones(4, 5),
    "mm dims": lambda torch: torch.mm(torch.ones(3), torch.ones(3, 2)),
    "bmm": lambda torch: torch.bmm(torch.ones(2, 3, 4), torch.ones(3, 4, 5)),
    "baddbmm 0d": lambda torch: torch.baddbmm(torch.ones(2), torch.ones(()), torch.ones(2, 2, 2)),
    "baddbmm 2d": lambda torch: torch.baddbmm(
        torch.ones(2, 2, 2), torch.ones(2, 3), torch.ones(2, 2, 2)
    ),
    "addbmm 0d": lambda torch: torch.addbmm(torch.ones(2), torch.ones(2, 2, 2), torch.ones(())),
    "mv": lambda torch: torch.ones(2, 3) @ torch.ones(4),
    "dot": lambda torch: torch.dot(torch.ones(2), torch.ones(3)),
    "dot dtype": lambda torch: torch.dot(torch.ones(2), torch.ones(2, dtype=torch.float64)),
    "cat": lambda torch: torch.cat([torch.ones(2, 3), torch.ones(2, 4)]),
    "cat dims": lambda torch: torch.cat([torch.ones(2, 3), torch.ones(3)]),
    "cat empty": lambda torch: torch.cat([]),
    "stack": lambda torch: torch.stack([torch.ones(2), torch.ones(3)]),
    "stack empty": lambda torch: torch.stack([]),
    "where": lambda torch: torch.where(torch.tensor([True, False]), torch.ones(3), torch.ones(2)),
    "where dtype": lambda torch: torch.where(
        torch.tensor([1.0, 0.0]), torch.ones(2), torch.ones(2)
    ),
    "index_add vector": lambda torch: torch.ones(3).index_add_(0, torch.tensor([5]), torch.ones(1)),
    "index_add matrix": lambda torch: torch.ones(3, 2).index_add_(
        0, torch.tensor([5]), torch.ones(1, 2)
    ),
    "scatter empty": lambda torch: torch.ones(0).scatter_(
        0, torch.zeros(1, dtype=torch.int64), 1.0
    ),
    "index int": lambda torch: torch.ones(3)[5],
    "index neg": lambda torch: torch.ones(3)[-4],
    "index too many": lambda torch: torch.ones(3)[0, 0],
    "index 0d": lambda torch: torch.tensor(1.0)[0],
    "index float": lambda torch: torch.ones(3)[1.5],
    "index str": lambda torch: torch.ones(3)["a"],
    "index float tensor": lambda torch: torch.ones(3)[torch.tensor([1.5])],
    "index tensor range": lambda torch: torch.ones(3)[torch.tensor([5])],
    "index shapes": lambda torch: torch.ones(3, 3)[torch.tensor([0, 1]), torch.tensor([0, 1, 2])],
    "mask shape": lambda torch: torch.ones(3)[torch.tensor([True, False])],
    "step 0": lambda torch: torch.ones(3)[::0],
    "step neg": lambda torch: torch.ones(3)[::-1],
    "gather range": lambda torch: torch.ones(3).gather(0, torch.tensor([5])),
    "gather dtype": lambda torch: torch.ones(3).gather(0, torch.tensor([0.5])),
    "index_select range": lambda torch: torch.ones(3).index_select(0, torch.tensor([5])),
    "scatter range": lambda torch: torch.ones(3).scatter_(0, torch.tensor([5]), 1.0),
    "take range": lambda torch: torch.take(torch.ones(3), torch.tensor([5])),
    "embedding range": lambda torch: torch.nn.functional.embedding(
        torch.tensor([5]), torch.ones(3, 2)
    ),
    "one_hot": lambda torch: torch.nn.functional.one_hot(torch.tensor([5]), 3),
    "nll range": lambda torch: torch.nn.functional.nll_loss(torch.ones(1, 3), torch.tensor([5])),
    "cross entropy range": lambda torch: torch.nn.functional.cross_entropy(
        torch.ones(1, 3), torch.tensor([5])
    ),
    "dim range": lambda torch: torch.ones(3).sum(2),
    "dim dup": lambda torch: torch.ones(3, 3).sum((0, 0)),
    "select dim": lambda torch: torch.ones(3).select(1, 0),
    "view": lambda torch: torch.ones(6).view(4, 2),
    "view -1 -1": lambda torch: torch.ones(6).view(-1, -1),
    "view strided": lambda torch: torch.ones(2, 3).t().view(6),
    "reshape": lambda torch: torch.ones(6).reshape(4, -1),
    "reshape neg": lambda torch: torch.ones(6).reshape(-2, 3),
    "expand": lambda torch: torch.ones(3).expand(2, 4),
    "permute": lambda torch: torch.ones(2, 3).permute(0, 0),
    "permute len": lambda torch: torch.ones(2, 3).permute(0),
    "transpose": lambda torch: torch.ones(2, 3).transpose(0, 5),
    "unsqueeze": lambda torch: torch.ones(2).unsqueeze(5),
    "split neg": lambda torch: torch.ones(4).split(-1),
    "split sizes": lambda torch: torch.ones(4).split([1, 2]),
    "chunk 0": lambda torch: torch.ones(4).chunk(0),
    "unbind 0d": lambda torch: torch.tensor(1.0).unbind(),
    "narrow": lambda torch: torch.ones(4).narrow(0, 2, 5),
    "narrow neg": lambda torch: torch.ones(4).narrow(0, 0, -1),
    "backward nonscalar": lambda torch: (leaf(torch) * 2).backward(),
    "backward no grad": lambda torch: torch.ones(()).backward(),
    "backward shape": lambda torch: (leaf(torch) * 2).backward(torch.ones(2)),
    "grad unused": lambda torch: torch.autograd.grad(leaf(torch).sum(), leaf(torch)),
    "grad no grad": lambda torch: torch.autograd.grad(leaf(torch).sum(), torch.ones(2)),
    "leaf inplace": lambda torch: leaf(torch).add_(1),
    "leaf setitem": lambda torch: leaf(torch).__setitem__(0, 1.0),
    "int requires_grad": lambda torch: torch.ones(2, dtype=torch.int64).requires_grad_(),
    "int requires_grad ctor": lambda torch: torch.tensor([1, 2], requires_grad=True),
    "negative zeros": lambda torch: torch.zeros(-1),
    "negative ones": lambda torch: torch.ones(2, -3),
    "negative empty": lambda torch: torch.empty(-1),
    "negative full": lambda torch: torch.full((-1,), 2.0),
    "negative rand": lambda torch: torch.rand(-1),
    "negative randn": lambda torch: torch.randn(2, -1),
    "negative eye": lambda torch: torch.eye(-1),
    "overflow zeros": lambda torch: torch.zeros(2**40, 2**40),
    "overflow empty": lambda torch: torch.empty(2**62),
    "overflow 3": lambda torch: torch.empty(2**31, 2**31, 4),
    "overflow reshape": lambda torch: torch.ones(4).reshape(2**40, 2**40),
    "as_strided neg": lambda torch: torch.ones(4).as_strided((2,), (-1,)),
    "as_strided oob": lambda torch: torch.ones(4).as_strided((5,), (1,)),
    "as_strided len": lambda torch: torch.ones(4).as_strided((2,), (1, 1)),
    "arange step0": lambda torch: torch.arange(0, 5, 0),
    "arange sign": lambda torch: torch.arange(0, 5, -1),
    "arange nan": lambda torch: torch.arange(0, float("nan")),
    "arange inf": lambda torch: torch.arange(0, float("inf")),
    "linspace neg": lambda torch: torch.linspace(0, 1, -1),
    "max empty": lambda torch: torch.ones(0).max(),
    "argmax empty": lambda torch: torch.ones(0).argmax(),
    "max dim empty": lambda torch: torch.ones(2, 0).max(1),
    "min empty": lambda torch: torch.ones(0).amin(),
    "item many": lambda torch: torch.ones(2).item(),
    "item none": lambda torch: torch.ones(0).item(),
    "float many": lambda torch: float(torch.ones(2)),
    "int many": lambda torch: int(torch.ones(2)),
    "bool many": lambda torch: bool(torch.ones(2)),
    "bool none": lambda torch: bool(torch.ones(0)),
    "index many": lambda torch: [1, 2][torch.ones(2, dtype=torch.int64)],
    "index floatt": lambda torch: [1, 2][torch.tensor(1.0)],
    "len 0d": lambda torch: len(torch.tensor(1.0)),
    "iter 0d": lambda torch: list(torch.tensor(1.0)),
    "int nan": lambda torch: int(torch.tensor(float("nan"))),
    "int inf": lambda torch: int(torch.tensor(float("inf"))),
    "div zero": lambda torch: (torch.tensor([1, 2]) // torch.tensor([0, 1])).tolist(),
    "mod zero": lambda torch: (torch.tensor([1, 2]) % 0).tolist(),
    "sub bool": lambda torch: torch.tensor([True]) - torch.tensor([False]),
    "div zero recorded": lambda torch: torch.tensor([1, 2]) // 0,
    "mod zero recorded": lambda torch: torch.tensor([1, 2]) % torch.tensor([[1], [0]]),
    "fmod zero recorded": lambda torch: torch.tensor([1, 2]).fmod_(0),
    "pow negative": lambda torch: torch.tensor([1, 2]) ** -1,
    "pow negative inplace": lambda torch: torch.tensor([1, 2]).pow_(-2),
    "pow negative bool": lambda torch: torch.tensor([True]) ** -1,
    "neg bool": lambda torch: -torch.tensor([True]),
    "shift float": lambda torch: torch.tensor([1.0]) << 1,
    "shift right float": lambda torch: torch.tensor([1.0]) >> torch.tensor([1]),
    "invert float": lambda torch: ~torch.tensor([1.0]),
    "floor divide bool": lambda torch: torch.tensor([True]) // torch.tensor([True]),
    "add str": lambda torch: torch.ones(2) + "a",
    "add None": lambda torch: torch.ones(2) + None,
    "None plus": lambda torch: None + torch.ones(2),
    "less None": lambda torch: torch.ones(2) < None,
    "unknown keyword": lambda torch: torch.ones(2).sum(foo=1),
    "unknown keyword of one": lambda torch: torch.relu(torch.ones(2), foo=1),
    "too many": lambda torch: torch.ones(2).sum(0, 1, 2, 3),
    "zeros too large": lambda torch: torch.zeros(2**64),
    "reshape too large": lambda torch: torch.ones(2).reshape(1, 2**64),
    "dim too large": lambda torch: torch.ones(2).sum(2**64),
    "gather out dtype": lambda torch: torch.gather(
        torch.ones(2), 0, torch.tensor([0]), out=torch.ones(1, dtype=torch.float64)
    ),
    "aminmax out dtype": lambda torch: torch.aminmax(
        torch.ones(2), out=(torch.ones(()), torch.ones((), dtype=torch.int64))
    ),
    "cat out overlap": lambda torch: (lambda x: torch.cat([x, x], out=x))(torch.ones(3)),
    "gather out overlap": lambda torch: (
        lambda x: torch.gather(x, 0, torch.tensor([1, 0, 1]), out=x)
    )(torch.ones(3)),
    "index_select out overlap": lambda torch: (
        lambda x: torch.index_select(x, 0, torch.tensor([1, 0, 1]), out=x)
    )(torch.ones(3)),
    "kthvalue out overlap": lambda torch: (
        lambda x: torch.kthvalue(x, 1, keepdim=True, out=(x, torch.ones(1, dtype=torch.int64)))
    )(torch.ones(1)),
    "mean int": lambda torch: torch.tensor([1, 2]).mean(),
    "softmax int": lambda torch: torch.tensor([1, 2]).softmax(0),
    "inplace dtype": lambda torch: torch.tensor([1, 2]).add_(1.5),
    "inplace div": lambda torch: torch.tensor([1, 2]).div_(2),
    "setitem shape": lambda torch: torch.ones(3).__setitem__(slice(None), torch.ones(2)),
    "setitem str": lambda torch: torch.ones(3).__setitem__(0, "a"),
    "expanded write": lambda torch: torch.ones(1).expand(3).add_(1),
    "dropout p": lambda torch: torch.nn.functional.dropout(torch.ones(2), 2.0),
    "layer_norm": lambda torch: torch.nn.functional.layer_norm(torch.ones(2, 3), (4,)),
    "mse": lambda torch: torch.nn.functional.mse_loss(torch.ones(2), torch.ones(3)),
    "bce range": lambda torch: (
        torch.nn.functional.binary_cross_entropy(torch.tensor([2.0]), torch.tensor([1.0]))
    ).tolist(),
    "topk": lambda torch: torch.ones(3).topk(5),
    "kthvalue": lambda torch: torch.ones(3).kthvalue(5),
    "tensor ragged": lambda torch: torch.tensor([[1, 2], [3]]),
    "tensor str": lambda torch: torch.tensor("a"),
    "tensor obj": lambda torch: torch.tensor([object()]),
    "tensor none": lambda torch: torch.tensor(None),
    "tensor bigint": lambda torch: torch.tensor(2**70),
    "add bigint": lambda torch: torch.ones(2) + 2**70,
    "zeros str": lambda torch: torch.zeros("a"),
    "zeros float": lambda torch: torch.zeros(2.5),
    "numpy grad": lambda torch: leaf(torch).numpy(),
    "detach view": lambda torch: leaf(torch)[0].detach_(),
    "retain no grad": lambda torch: torch.ones(2).retain_grad(),
    "hook no grad": lambda torch: torch.ones(2).register_hook(print),
    "cuda": lambda torch: torch.ones(2).to("cuda"),
    "device": lambda torch: torch.ones(2, device="foo"),
    "empty view -1": lambda torch: torch.ones(0, 3).view(-1, 0).shape,
    "int8 big": lambda torch: torch.tensor([300], dtype=torch.int8).tolist(),
}

WRONG_ARGUMENTS = {
    "add m": lambda torch: torch.ones(2).add("1"),
    "add f": lambda torch: torch.add(torch.ones(2), "1"),
    "sub m": lambda torch: torch.ones(2).sub("1"),
    "mul m": lambda torch: torch.ones(2).mul("1"),
    "mul f": lambda torch: torch.mul(torch.ones(2), None),
    "mul l": lambda torch: torch.ones(2).mul([1, 2]),
    "add_ m": lambda torch: torch.ones(2).add_("1"),
    "mul_ m": lambda torch: torch.ones(2).mul_("1"),
    "div m": lambda torch: torch.ones(2).div("1"),
    "pow m": lambda torch: torch.ones(2).pow("1"),
    "pow f": lambda torch: torch.pow(torch.ones(2), "1"),
    "eq": lambda torch: torch.ones(2).eq("1"),
    "lt": lambda torch: torch.ones(2).lt("1"),
    "sum s": lambda torch: torch.ones(2).sum("1"),
    "sum f": lambda torch: torch.ones(2).sum(1.5),
    "exp f": lambda torch: torch.exp(1.0),
    "exp no": lambda torch: torch.exp(),
    "exp 2": lambda torch: torch.exp(torch.ones(2), torch.ones(2)),
    "matmul": lambda torch: torch.matmul(torch.ones(2, 2), 1),
    "matmul op": lambda torch: torch.ones(2, 2) @ 1,
    "stack n": lambda torch: torch.stack([torch.ones(2), 1]),
    "reshape s": lambda torch: torch.ones(2).reshape("a"),
    "reshape none": lambda torch: torch.ones(2).reshape(None),
    "expand s": lambda torch: torch.ones(2).expand("a"),
    "permute s": lambda torch: torch.ones(2, 2).permute("a"),
    "transpose s": lambda torch: torch.ones(2, 2).transpose("a", 1),
    "transpose 1": lambda torch: torch.ones(2, 2).transpose(1),
    "zeros dtype": lambda torch: torch.zeros(2, dtype="float"),
    "zeros no": lambda torch: torch.zeros(),
    "full no": lambda torch: torch.full((2,)),
    "tensor none": lambda torch: torch.tensor(None),
    "tensor ragged": lambda torch: torch.tensor([[1, 2], [3]]),
    "tensor mix": lambda torch: torch.tensor([1, "a"]),
    "clamp s": lambda torch: torch.ones(2).clamp("a"),
    "clamp no": lambda torch: torch.ones(2).clamp(),
    "where s": lambda torch: torch.where(torch.ones(2) > 0, "a", 2),
    "softmax no": lambda torch: torch.ones(2).softmax(),
    "softmax s": lambda torch: torch.ones(2).softmax("a"),
    "gather": lambda torch: torch.ones(2).gather(0, [0]),
    "index_select": lambda torch: torch.ones(2).index_select(0, [0]),
    "topk": lambda torch: torch.ones(2).topk("a"),
    "topk big": lambda torch: torch.ones(2).topk(5),
    "dropout": lambda torch: torch.nn.functional.dropout(torch.ones(2), 1.5),
    "linear": lambda torch: torch.nn.functional.linear(torch.ones(2, 3), torch.ones(2, 4)),
    "ce": lambda torch: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.ones(2)),
    "ce2": lambda torch: torch.nn.functional.cross_entropy(
        torch.ones(2, 3), torch.ones(3, dtype=torch.int64)
    ),
    "requires": lambda torch: torch.ones(2, requires_grad="a"),
    "one_hot": lambda torch: torch.nn.functional.one_hot(torch.ones(2)),
    "lerp": lambda torch: torch.lerp(torch.ones(2), torch.ones(2), "a"),
    "roll": lambda torch: torch.ones(2).roll("x"),
    "repeat": lambda torch: torch.ones(2, 2).repeat(2),
    "tile": lambda torch: torch.ones(2, 2).tile("a"),
    "pad": lambda torch: torch.nn.functional.pad(torch.ones(2), (1,)),
    "unique of a dimension": lambda torch: torch.unique(torch.ones(2, 2), 0),
    "unique_consecutive of a dimension": lambda torch: torch.ones(2, 2).unique_consecutive(0),
    "cholesky option": lambda torch: torch.linalg.cholesky(torch.eye(2), upper=1),
    "a tensor for a fraction": lambda torch: torch.dropout(torch.ones(2), torch.zeros(1), True),
    "a weight for a tolerance": lambda torch: torch.isclose(
        torch.ones(2), torch.ones(2), torch.tensor(0.1, requires_grad=True)
    ),
    "celu by 0": lambda torch: torch.nn.functional.celu(torch.ones(2), 0.0),
    "softshrink by less": lambda torch: torch.nn.functional.softshrink(torch.ones(2), -0.5),
    "trapezoid of truths": lambda torch: torch.trapezoid(torch.ones(3) > 0),
    "trapezoid dx": lambda torch: torch.trapezoid(torch.ones(3), 2),
    "cumulative_trapezoid": lambda torch: torch.cumulative_trapezoid(torch.ones(3) > 0),
    "vander of truths": lambda torch: torch.linalg.vander(torch.ones(3) > 0),
    "ormqr": lambda torch: torch.ormqr(torch.ones(5, 3), torch.ones(2), torch.ones(5, 3)),
    "mean of an empty line": lambda torch: torch.nn.functional.adaptive_avg_pool1d(
        torch.ones(2, 0), 2
    ),
    "means without channels": lambda torch: torch.nn.functional.adaptive_avg_pool3d(
        torch.ones(2, 0, 2, 2, 2), 2
    ),
    "rms_norm": lambda torch: torch.nn.functional.rms_norm(torch.ones(2, 2, 3), (2, 2)),
    "attention of vectors": lambda torch: torch.nn.functional.scaled_dot_product_attention(
        torch.ones(3), torch.ones(3), torch.ones(3)
    ),
    "attention dtypes": lambda torch: torch.nn.functional.scaled_dot_product_attention(
        torch.ones(2, 3), torch.ones(2, 3), torch.ones(2, 3).double()
    ),
    "reduction": lambda torch: torch.nn.functional.multi_margin_loss(
        torch.ones(5, 4), torch.ones(5), reduction="abc"
    ),
    "margin loss dtype": lambda torch: torch.nn.functional.multi_margin_loss(
        torch.ones(5, 4), torch.ones(5)
    ),
    "margin loss of integers": lambda torch: torch.nn.functional.multi_margin_loss(
        torch.ones(1, 4, dtype=torch.int64), torch.tensor([1])
    ),
    "margin loss weight": lambda torch: torch.nn.functional.multi_margin_loss(
        torch.ones(1, 4), torch.tensor([1]), weight=torch.ones(5)
    ),
    "masked_fill2": lambda torch: torch.ones(4).masked_fill(torch.ones(4) > 0, "a"),
    "masked_select": lambda torch: torch.ones(4).masked_select(torch.ones(4)),
    "index_add": lambda torch: torch.ones(4).index_add(0, torch.tensor([0]), torch.ones(2)),
    "cumsum": lambda torch: torch.ones(4).cumsum(),
    "outer": lambda torch: torch.outer(torch.ones(2, 2), torch.ones(2)),
    "layer_norm": lambda torch: torch.nn.functional.layer_norm(torch.ones(2, 3), (4,)),
    "bcel": lambda torch: torch.nn.functional.binary_cross_entropy_with_logits(
        torch.ones(2) * 2, torch.ones(3)
    ),
    "setitem": lambda torch: torch.ones(3).__setitem__(0, "a"),
    "setitem2": lambda torch: torch.ones(3).__setitem__(0, torch.ones(2)),
    "setitem3": lambda torch: torch.ones(3).__setitem__("a", 1),
    "randint": lambda torch: torch.randint(5, 2, (2,)),
    "normal": lambda torch: torch.normal(0.0, -1.0, (2,)),
    "bernoulli": lambda torch: torch.bernoulli(torch.ones(2) * 2),
    "multinomial": lambda torch: torch.multinomial(torch.zeros(2), 1),
    "from_numpy": lambda torch: torch.from_numpy([1]),
}

ANSWERED = {
    "nan sort": lambda torch: torch.tensor([3.0, float("nan"), 1.0]).sort().values.tolist(),
    "nan max": lambda torch: torch.tensor([3.0, float("nan"), 1.0]).max().item(),
    "nan argmax": lambda torch: torch.tensor([3.0, float("nan"), 1.0]).argmax().item(),
    "nan eq": lambda torch: (torch.tensor([float("nan")]) == torch.tensor([float("nan")])).tolist(),
    "nan clamp": lambda torch: torch.tensor([float("nan")]).clamp(0, 1).tolist(),
    "nan relu": lambda torch: torch.tensor([float("nan")]).relu().tolist(),
    "inf softmax": lambda torch: torch.tensor([float("inf"), 1.0]).softmax(0).tolist(),
    "-inf logsumexp": lambda torch: torch.tensor([-float("inf")] * 2).logsumexp(0).tolist(),
    "empty sum": lambda torch: torch.ones(0).sum().item(),
    "empty prod": lambda torch: torch.ones(0).prod().item(),
    "empty mean": lambda torch: torch.ones(0).mean().item(),
    "empty all bytes": lambda torch: torch.ones(0).all().numpy().view("uint8").tolist(),
    "empty all uint8": lambda torch: torch.ones(0, 3, dtype=torch.uint8).all(0),
    "bool byte 3": lambda torch: torch.from_numpy(
        torch.tensor([3, 0], dtype=torch.uint8).numpy().view("bool")
    ).tolist(),
    "empty any": lambda torch: (torch.ones(0).any().item(), torch.ones(0).all().item()),
    "empty mm": lambda torch: (torch.ones(2, 0) @ torch.ones(0, 3)).tolist(),
    "empty cat": lambda torch: torch.cat([torch.ones(0), torch.ones(2, 3)]).shape,
    "empty softmax": lambda torch: torch.ones(2, 0).softmax(1).shape,
    "empty view": lambda torch: torch.ones(0, 3).view(3, 0).shape,
    "empty median": lambda torch: torch.ones(0).median().item(),
    "int overflow": lambda torch: torch.tensor([255], dtype=torch.uint8).add(1).tolist(),
    "uint8 neg": lambda torch: torch.tensor([-1], dtype=torch.uint8).tolist(),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused_as_in_pytorch(program: Any) -> None:
    both_raise(program, Exception)


@pytest.mark.parametrize("program", WRONG_ARGUMENTS.values(), ids=WRONG_ARGUMENTS.keys())
def test_wrong_arguments_are_refused_in_pytorchs_words(program: Any) -> None:
    both_raise(program, Exception)


@pytest.mark.parametrize("program", ANSWERED.values(), ids=ANSWERED.keys())
def test_odd_input_gives_what_pytorch_gives(program: Any) -> None:
    both(lambda torch: repr(program(torch)))


@raises_alike(RuntimeError)
def test_a_second_backward_is_refused(torch: Any) -> None:
    y = leaf(torch).exp().sum()
    y.backward()
    y.backward()


@raises_alike(IndexError)
def test_an_index_that_is_out_of_range_at_run_time_is_refused(torch: Any) -> None:
    torch.arange(3.0)[torch.arange(3) * 5].tolist()


def test_an_index_error_at_run_time_names_the_op_and_the_line() -> None:
    at = wend.arange(3) * 5
    read = wend.arange(3.0)[at]
    with pytest.raises(IndexError) as caught:
        read.tolist()
    assert "index(" in str(caught.value)
    assert "test_bad_input.py" in str(caught.value)


def test_a_failed_node_raises_only_for_those_who_need_it() -> None:
    x = wend.arange(3.0)
    failed = x[wend.arange(3) * 5]
    beside, behind = x + 1, failed * 2
    with pytest.raises(IndexError):
        failed.tolist()
    assert beside.tolist() == [1, 2, 3]
    with pytest.raises(IndexError):
        behind.tolist()
    with pytest.raises(IndexError):
        failed.tolist()
    assert (x * 2).tolist() == [0, 2, 4]


@pytest.mark.skipif(STANDIN is not None, reason="PyTorch raises RuntimeError")
@pytest.mark.parametrize(
    "ask",
    [
        lambda: wend.empty(2**45),
        lambda: wend.zeros(2**45).sum().item(),
        lambda: wend.ones(1).expand(2**45).clone().tolist(),
        lambda: (wend.ones(2**23, 1) @ wend.ones(1, 2**23)).sum().item(),
    ],
)
def test_out_of_memory_is_a_memory_error_and_leaves_all_intact(ask: Any) -> None:
    x = wend.arange(4.0, requires_grad=True)
    pending = (x * 2).sum()
    with pytest.raises(MemoryError):
        ask()
    pending.backward()
    assert x.grad.tolist() == [2, 2, 2, 2]


@pytest.mark.skipif(STANDIN is not None, reason="PyTorch lets the product wrap around to 0")
def test_sizes_whose_product_wraps_around_do_not_fit() -> None:
    with pytest.raises(RuntimeError, match="is invalid for input of size 0"):
        wend.ones(0).reshape(2**32, 2**32)
    assert wend.ones(0).reshape(2**32, 2**30, 0).numel() == 0
    with pytest.raises(RuntimeError, match="overflow"):
        wend.ones(0).reshape(2**32, 2**32, 0)


MANY = [2, 1, 2] + [1] * 60 + [3]
WITH_64_DIMENSIONS = {
    "arithmetic": lambda torch, x: (x * 2 + x.transpose(0, 2)).exp(),
    "sum": lambda torch, x: x.sum((0, 63)),
    "reductions": lambda torch, x: (x.amax(0), x.mean(2), x.argmax(63), x.var(63), x.cumsum(0)),
    "matmul": lambda torch, x: x.transpose(-1, -2) @ x,
    "softmax": lambda torch, x: x.softmax(63),
    "order": lambda torch, x: (x.sort(63)[0], x.flip(0, 63), x.roll(1, 63)),
    "copies": lambda torch, x: (x.permute(*reversed(range(64))).contiguous(), x.clone()),
    "repeat": lambda torch, x: x.detach().repeat([2] * 3 + [1] * 61),
    "index": lambda torch, x: (x[0], x[..., 1], x[torch.tensor([1, 0])], x.nonzero()),
    "gather": lambda torch, x: x.gather(63, torch.ones(MANY, dtype=torch.int64)),
    "cat": lambda torch, x: torch.cat([x, x], 63),
    "where": lambda torch, x: torch.where(x > 3, x, -x),
    "batch": lambda torch, x: sum((x * i).tanh() for i in range(20)),
}


@pytest.mark.parametrize("case", WITH_64_DIMENSIONS)
def test_tensors_may_have_64_dimensions(case: str) -> None:
    def program(torch: Any) -> Any:
        x = torch.arange(12.0).reshape(MANY).requires_grad_()
        result = WITH_64_DIMENSIONS[case](torch, x)
        results = result if isinstance(result, tuple) else (result,)
        total = sum(each.double().sum() for each in results)
        if total.requires_grad:
            total.backward()
        values = [(list(each.shape), each.flatten().tolist()) for each in results]
        return values, [] if x.grad is None else x.grad.flatten().tolist()

    ours, theirs = program(wend), program(pytest.importorskip("torch"))
    for mine, right in zip(ours[0], theirs[0], strict=True):
        assert mine[0] == right[0]
        assert mine[1] == pytest.approx(right[1], rel=1e-5)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-5, abs=1e-6)


@pytest.mark.skipif(STANDIN is not None, reason="PyTorch has more dimensions")
def test_too_many_dimensions_are_refused() -> None:
    for ask in (
        lambda: wend.ones([1] * 65),
        lambda: wend.ones([1] * 64).unsqueeze(0),
        lambda: wend.ones(1).view([1] * 65),
        lambda: wend.ones(1).expand([1] * 65),
        lambda: wend.stack([wend.ones([1] * 64)] * 2),
        lambda: wend.ones([1] * 40)[wend.zeros([1] * 40, dtype=wend.int64)],
    ):
        with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
            ask()
