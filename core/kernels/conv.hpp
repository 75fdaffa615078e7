// kernels/conv.hpp: convolution of images in one to three dimensions, its two transposes, and the
// windows of an image as columns. Sizes, dtypes and which tensor is which are settled by the
// caller.
#pragma once

#include <cstdint>

namespace wend {

// Always three dimensions; an image that has fewer is of size 1 along the first ones. Tap k of the
// window at place p lies on pixel p * stride - padding + k * dilation, or beside the image.
struct Windows {
  int64_t image[3], taps[3], places[3];
  int64_t stride[3], padding[3], dilation[3];

  int64_t taps_of_one() const { return taps[0] * taps[1] * taps[2]; }
  int64_t all_places() const { return places[0] * places[1] * places[2]; }
  int64_t pixels() const { return image[0] * image[1] * image[2]; }
  // True iff each window is one pixel, and each pixel one window.
  bool pointwise() const;
};

// Images as raw memory: the first element, and strides in elements, which go on in a row where a
// dimension is of size 1.
template <class T>
struct Images {
  T* data;
  int64_t image, channel;
  int64_t pixel[3];

  // True iff pixels in row-major order are all equally far apart.
  bool in_a_row(const int64_t (&sizes)[3]) const {
    return pixel[0] == pixel[1] * sizes[1] && pixel[1] == pixel[2] * sizes[2];
  }
};

// y[n, o, p] = sum over c and k of x[n, c, pixel of tap k at p] * w[o, c, k]: three tensors, any of
// which follows from the other two. `inputs` and `outputs` are channels of one group. The weight is
// contiguous; pixels of y are in a row, and either they or the channels are next to each other.
template <class T>
struct Convolution {
  Windows windows;
  int64_t images, groups, inputs, outputs;
  Images<T> x, y;
  T* w;
};

// Bias has an element for each channel of the result, or is null. T: float, double, uint64_t, which
// stands for integers that wrap around.
template <class T>
void convolve(const Convolution<T>& c, const T* bias);
template <class T>
void convolve_to_input(const Convolution<T>& c, const T* bias);
template <class T>
void convolve_to_weight(const Convolution<T>& c);

// columns[channel and tap, place]; columns are contiguous, one block for each image.
template <class T>
void image_to_columns(const Windows& w, int64_t images, int64_t channels, const Images<T>& x,
                      T* columns);
// Adds up the columns where the windows overlap; the images are contiguous and overwritten.
template <class T>
void columns_to_image(const Windows& w, int64_t images, int64_t channels, const Images<T>& x,
                      const T* columns);

}  // namespace wend
