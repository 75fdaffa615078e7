// The kernels of one instruction level: compiled once per level, as WEND_LEVEL names it.
// Everything but the table has internal linkage and nothing comes from std: an inline function
// compiled here for a newer CPU could be the copy that the linker keeps for all. A test looks for
// weak symbols.
#include "kernels/level.hpp"

#include "kernels/level/cast.inl"
#include "kernels/level/elementwise.inl"
#include "kernels/level/gemm.inl"
#include "kernels/level/nn.inl"
#include "kernels/level/reduce.inl"

#define WEND_TABLE_NAME(level) level_##level
#define WEND_TABLE(level) WEND_TABLE_NAME(level)
#define WEND_TEXT_OF(level) #level
#define WEND_TEXT(level) WEND_TEXT_OF(level)

namespace wend {

constinit const LevelKernels WEND_TABLE(WEND_LEVEL) = {
    .name = WEND_TEXT(WEND_LEVEL),
    .gemm_f32 = {.tiles = gemm_tiles<float>,
                 .dots = gemm_dots<float>,
                 .axpys = gemm_axpys<float>,
                 .turn = gemm_turn<float>},
    .gemm_f64 = {.tiles = gemm_tiles<double>,
                 .dots = gemm_dots<double>,
                 .axpys = gemm_axpys<double>,
                 .turn = gemm_turn<double>},
    .rows_f32 = row_kernels_of<float>,
    .rows_f64 = row_kernels_of<double>,
    .elementwise = elementwise_loops,
    .casts = cast_loops,
    .reduce = &reduce_table,
};

}  // namespace wend
