"""Transformers: encoder and decoder layers, stacks of them, and both together."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from wend import _C
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn import init
from wend.nn._multihead import _canonical_mask, _none_or_dtype
from wend.nn.modules.attention import MultiheadAttention
from wend.nn.modules.container import ModuleList
from wend.nn.modules.dropout import Dropout
from wend.nn.modules.linear import Linear
from wend.nn.modules.module import Module
from wend.nn.modules.normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _get_activation_fn(activation: Activation) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _get_clones(module: Module, count: int) -> ModuleList:
    return ModuleList(copy.deepcopy(module) for _ in range(count))


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    return _C.full((sz, sz), -math.inf, dtype=dtype, device=device).triu(1)


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None, size: int) -> bool:
    """Whether the mask is the one that hides what comes later; it is read only if not said."""
    if is_causal is not None or mask is None:
        return is_causal is True
    if tuple(mask.shape) != (size, size):
        return False
    return bool((mask == _generate_square_subsequent_mask(size, dtype=mask.dtype)).all())


class _Layer(Module):
    """Attention and two linear layers, each with normalisation and a way around it."""

    self_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear
    dropout: Dropout

    def _attended(
        self,
        attention: MultiheadAttention,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None,
        padding: Tensor | None,
        causal: bool,
    ) -> Tensor:
        result: Tensor = attention(
            x,
            memory,
            memory,
            attn_mask=mask,
            key_padding_mask=padding,
            need_weights=False,
            is_causal=causal,
        )[0]
        return result

    def _fed_forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return result


class TransformerEncoderLayer(_Layer):
    """Attention to itself, then two linear layers.

    >>> wend.nn.TransformerEncoderLayer(8, 2, 16)(wend.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        new = {"device": device, "dtype": dtype, "bias": bias}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **new)
        self.linear1 = Linear(d_model, dim_feedforward, **new)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **new)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **new)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **new)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the layer's output for a sequence."""
        padding = _canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            _none_or_dtype(src_mask),
            "src_mask",
            src.dtype,
        )
        mask = _canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)

        def attended(x: Tensor) -> Tensor:
            found = self._attended(self.self_attn, x, x, mask, padding, is_causal)
            result: Tensor = self.dropout1(found)
            return result

        if self.norm_first:
            x = src + attended(self.norm1(src))
            return x + self.dropout2(self._fed_forward(self.norm2(x)))  # type: ignore[no-any-return]
        x = self.norm1(src + attended(src))
        return self.norm2(x + self.dropout2(self._fed_forward(x)))  # type: ignore[no-any-return]


class TransformerDecoderLayer(_Layer):
    """Attention to itself, to the encoder's output, then two linear layers.

    >>> layer = wend.nn.TransformerDecoderLayer(8, 2, 16)
    >>> layer(wend.ones(5, 3, 8), wend.ones(7, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        new = {"device": device, "dtype": dtype, "bias": bias}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **new)
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout, batch_first=batch_first, **new
        )
        self.linear1 = Linear(d_model, dim_feedforward, **new)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **new)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **new)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **new)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **new)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the layer's output for a sequence and what the encoder made of another."""

        def own(x: Tensor) -> Any:
            masks = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            return self.dropout1(self._attended(self.self_attn, x, x, *masks))

        def other(x: Tensor) -> Any:
            masks = (memory_mask, memory_key_padding_mask, memory_is_causal)
            return self.dropout2(self._attended(self.multihead_attn, x, memory, *masks))

        x: Any = tgt
        if self.norm_first:
            x = x + own(self.norm1(x))
            x = x + other(self.norm2(x))
            return x + self.dropout3(self._fed_forward(self.norm3(x)))  # type: ignore[no-any-return]
        x = self.norm1(x + own(x))
        x = self.norm2(x + other(x))
        return self.norm3(x + self.dropout3(self._fed_forward(x)))  # type: ignore[no-any-return]


def _length(sequence: Tensor, batch_first: bool) -> int:
    return sequence.size(1 if batch_first and sequence.dim() == 3 else 0)


class TransformerEncoder(Module):
    """Several encoder layers, copies of one.

    >>> layer = wend.nn.TransformerEncoderLayer(8, 2, 16)
    >>> wend.nn.TransformerEncoder(layer, 2)(wend.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        # wend has no nested tensors: padding is computed like anything else.
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Return the last layer's output for a sequence."""
        padding = _canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", _none_or_dtype(mask), "mask", src.dtype
        )
        mask = _canonical_mask(mask, "mask", None, "", src.dtype, False)
        first: Any = self.layers[0]
        length = _length(src, first.self_attn.batch_first)
        causal = _detect_is_causal_mask(mask, is_causal, length)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Several decoder layers, copies of one.

    >>> layer = wend.nn.TransformerDecoderLayer(8, 2, 16)
    >>> wend.nn.TransformerDecoder(layer, 2)(wend.ones(5, 3, 8), wend.ones(7, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the last layer's output for a sequence and what the encoder made of another."""
        first: Any = self.layers[0]
        length = _length(tgt, first.self_attn.batch_first)
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder.

    >>> model = wend.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(wend.ones(7, 3, 8), wend.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        rest = (batch_first, norm_first, bias, device, dtype)
        new = {"device": device, "dtype": dtype, "bias": bias}
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*settings, *rest)
            norm = LayerNorm(d_model, layer_norm_eps, **new)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*settings, *rest)
            norm = LayerNorm(d_model, layer_norm_eps, **new)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoder's output for tgt and what the encoder makes of src."""
        at = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(at) != tgt.size(at):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=src_is_causal,
        )
        output: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return output

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the mask that hides what comes later.

        >>> wend.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
