"""Views by explicit strides stay within their storage."""

from typing import Any

import pytest
from both import both_raise


@pytest.mark.parametrize(("size", "stride"), [((3,), (2**62,)), ((2,), (2**61,)), ((7,), (1,))])
def test_strides_that_leave_the_storage_are_refused(size: Any, stride: Any) -> None:
    both_raise(lambda torch: torch.arange(6.0).as_strided(size, stride), RuntimeError)
