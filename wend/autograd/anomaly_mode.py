"""Looking for the op whose gradient is NaN or fails: the walk back names it and its line.

Every node knows its line anyway, so that nothing is slower before backward.
"""

from __future__ import annotations

import warnings

from wend import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:  # noqa: N801
    """Switches the search for anomalies on or off, at once or for a block.

    check_nan: whether a NaN in a gradient is an error.

    >>> import wend
    >>> x = wend.zeros(1, requires_grad=True)
    >>> with wend.autograd.set_detect_anomaly(True, check_nan=False):
    ...     x.sqrt().sum().backward()
    >>> x.grad
    tensor([inf])
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C._set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _C._set_anomaly_enabled(*self.prev)


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch the search for anomalies on or off.

    >>> import wend
    >>> wend.set_anomaly_enabled(False)
    >>> wend.is_anomaly_enabled()
    False
    """
    _C._set_anomaly_enabled(enabled, check_nan)


class detect_anomaly:  # noqa: N801
    """Looks for anomalies within a block: an error for NaN, a warning that names the line.

    >>> import warnings, wend
    >>> x = wend.zeros(1, requires_grad=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with wend.autograd.detect_anomaly():
    ...         (x.sqrt() * 0).sum().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should"
            " only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.prev = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C._set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exception: object) -> None:
        _C._set_anomaly_enabled(*self.prev)
