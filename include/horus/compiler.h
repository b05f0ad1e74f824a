/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only place where compiler extensions are named, but for the vectors of data/csv.
 * Everything else in the tree is C11.
 */
#ifndef HORUS_COMPILER_H
#define HORUS_COMPILER_H

#if defined(__GNUC__) || defined(__clang__)
#define HS_MUST_USE           __attribute__((warn_unused_result))
#define HS_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define HS_LIKELY(x)          __builtin_expect(!!(x), 1)
#define HS_UNLIKELY(x)        __builtin_expect(!!(x), 0)
/* A function that is inlined into every caller and specialised for its constant arguments. */
#define HS_INLINE static inline __attribute__((always_inline))
/* A function for rare cases: its code, and the branch to it, are away from the usual path. */
#define HS_COLD __attribute__((cold, noinline))
/* A function that is never inlined, so that its registers and stack do not burden its callers. */
#define HS_APART      __attribute__((noinline))
#define HS_CTZ64(x)   ((unsigned)__builtin_ctzll(x)) /* undefined for 0 */
#define HS_CLZ64(x)   ((unsigned)__builtin_clzll(x)) /* undefined for 0 */
#define HS_CACHE_LINE 64u
/* Any address is allowed. Without the empty statement gcc drops calls of a function of these. */
#define HS_PREFETCH(address)                                                                       \
    do {                                                                                           \
        __builtin_prefetch(address);                                                               \
        __asm__ volatile("");                                                                      \
    } while (0)
/* In front of a short loop of fixed length on the hot path: unrolls it. */
#if defined(__clang__)
#define HS_UNROLL _Pragma("clang loop unroll_count(16)")
#else
#define HS_UNROLL _Pragma("GCC unroll 16")
#endif
/* An external function that link-time optimisation should inline into other files. clang decides by
 * itself, and does not accept static callees of an external inline function. */
#if defined(__clang__)
#define HS_EXPANDED
#else
#define HS_EXPANDED inline
#endif
__extension__ typedef unsigned __int128 hs_u128;
__extension__ typedef __int128 hs_i128;
#else
#error "horus needs gcc or clang: 128-bit integers carry the exact work arithmetic"
#endif

/* -1, 0 or 1, for comparators; of two keys 2 * HS_ORDER(x->a, y->a) + HS_ORDER(x->b, y->b). */
#define HS_ORDER(a, b) (((a) > (b)) - ((a) < (b)))
/* Of an array, not of a pointer. */
#define HS_COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#endif
