"""Attributes of one's own on tensors, which no other tensor may see.

The attributes that every tensor has are tested with what they are about.
"""

import gc
import weakref
from typing import Any

from both import alike, both_raise, wend


def numel(x: Any) -> Any:
    """One place in the program, so that Python remembers how it found the method last time."""
    return x.numel()


@alike
def test_an_attribute_belongs_to_one_tensor(T: Any) -> Any:
    x, y = T.ones(2), T.ones(3)
    x.note = "mine"
    return x.note, x.__dict__, hasattr(y, "note"), y.__dict__, hasattr(T.ones(1), "note")


@alike
def test_an_attribute_goes_before_a_method(T: Any) -> Any:
    plain, own = T.ones(2), T.ones(3)
    before = [numel(plain) for _ in range(100)]
    own.numel = lambda: "mine"
    return before, [(numel(plain), numel(own)) for _ in range(100)]


@alike
def test_a_dict_may_be_read_filled_and_replaced(T: Any) -> Any:
    x, y = T.ones(2), T.ones(2)
    x.__dict__["a"] = 1
    y.__dict__ = {"b": 2}
    read = x.a, y.b, vars(x), vars(y)
    del x.a
    return read, hasattr(x, "a"), vars(x), vars(T.ones(2)), [numel(z) for z in (x, y) * 20]


@alike
def test_subclasses_have_attributes_too(T: Any) -> Any:
    class Named(T.Tensor):  # type: ignore[misc, name-defined]
        pass

    p, q = T.nn.Parameter(T.ones(2)), T.ones(2).as_subclass(Named)
    p.note, q.note = 1, 2
    return p.note, q.note, [numel(z) for z in (p, q, T.ones(5)) * 20]


def test_an_attribute_that_is_not_there_cannot_be_deleted() -> None:
    def delete(T: Any) -> None:
        del T.ones(2).note

    both_raise(delete, AttributeError)


def test_a_dict_that_holds_its_tensor_is_collected() -> None:
    class Token:
        pass

    for tie in (lambda x: setattr(x, "me", x), lambda x: x.__dict__.update(me=x)):
        x, token = wend.ones(2), Token()
        tie(x)
        x.token, seen = token, weakref.ref(token)
        del x, token
        gc.collect()
        assert seen() is None
