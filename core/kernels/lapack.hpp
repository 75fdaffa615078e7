// kernels/lapack.hpp: factorizations of one matrix, by the LAPACK that OpenBLAS brings with it.
// Matrices lie column by column without gaps; T is float or double. What LAPACK reports of a
// failure is returned: 0 where all went well.
#pragma once

#include <cstdint>

namespace wend {

// Raises where the library cannot be loaded; to be called before any of the others.
void require_lapack();

// Overwrites a by the upper factor u of uᵀu, of which the rest is 0. The upper triangle is read.
template <class T>
int cholesky(int n, T* a);
// Overwrites a by both factors; row i was exchanged for row pivots[i], counted from 1.
template <class T>
int lu_factor(int m, int n, T* a, int* pivots);
// Overwrites b by the solution, a by its factors.
template <class T>
int solve(int n, int columns, T* a, T* b);
// Overwrites the lower triangle of a symmetric matrix by both factors of l d lᵀ, where d has blocks
// of one or two rows, and the other triangle by 0; pivots say which rows were exchanged.
template <class T>
int ldl_factor(int n, T* a, int* pivots);
// Overwrites b by the solution, from what ldl_factor gave.
template <class T>
int ldl_solve(int n, int columns, const T* a, const int* pivots, T* b);
// Overwrites a by the triangular factor and, below it, the vectors of the reflections that are the
// orthogonal one; tau has min(m, n) elements.
template <class T>
int reflections(int m, int n, T* a, T* tau);
// q has `columns` columns, r as many rows, from min(m, n) to m; a is overwritten.
template <class T>
int qr(int m, int n, int columns, T* a, T* q, T* r);
// u has u_columns columns and vh vh_rows rows, min(m, n) or all; none of both: only s is wanted.
template <class T>
int svd(int m, int n, T* a, T* s, T* u, int u_columns, T* vh, int vh_rows);
// Overwrites a by the eigenvectors, if wanted, of the symmetric matrix whose upper triangle it has.
template <class T>
int eigh(int n, T* a, T* values, bool vectors);
// Overwrites b, which lies row by row, by the solution. The triangle has rows or, where it lies
// transposed, columns `step` apart.
template <class T>
void solve_triangular(bool upper, bool unit, bool transposed, int n, int columns, const T* a,
                      int step, T* b);

}  // namespace wend
