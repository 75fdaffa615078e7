"""A branch on the data: each call records the graph of the path that it took.

Shows values, gradients, and the live graph with the lines of this file that made it.
"""

import wend


def forward(x: wend.Tensor) -> wend.Tensor:
    if x.sum() > 0:
        y = x * 2
    else:
        y = (x - 2) * x
    return y


for values in ([1.0, -1.0, 2.0], [-3.0, -2.0, -1.0]):
    x = wend.tensor(values, requires_grad=True)
    y = forward(x)
    y.sum().backward()
    print(y)
    print("gradient:", x.grad)

print()
x = wend.tensor([1.0, -1.0, 2.0], requires_grad=True)
print(wend.graph(forward(x)))
