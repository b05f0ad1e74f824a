/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only place where compiler extensions are named, but for the vectors of base/block64.
 * Everything else in the tree is C11.
 */
#ifndef HORUS_COMPILER_H
#define HORUS_COMPILER_H

#if defined(__GNUC__) || defined(__clang__)
#define HS_MUST_USE           __attribute__((warn_unused_result))
#define HS_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define HS_LIKELY(x)          __builtin_expect(!!(x), 1)
#define HS_UNLIKELY(x)        __builtin_expect(!!(x), 0)
/* A function that each caller gets a copy of, made for what is known there. */
#define HS_INLINE static inline __attribute__((always_inline))
/* A function for what seldom happens: it, and the way to it, lie apart from what always does. */
#define HS_COLD __attribute__((cold, noinline))
/* A function that stays one, for the sake of those that call it: what it needs is not theirs. */
#define HS_APART      __attribute__((noinline))
#define HS_CTZ64(x)   ((unsigned)__builtin_ctzll(x)) /* undefined for 0 */
#define HS_CLZ64(x)   ((unsigned)__builtin_clzll(x)) /* undefined for 0 */
#define HS_CACHE_LINE 64u
/* Any address: nothing is read of it. Without the empty statement gcc takes a function that does no
 * more than this for one without effect, and leaves out the calls of it. */
#define HS_PREFETCH(address)                                                                       \
    do {                                                                                           \
        __builtin_prefetch(address);                                                               \
        __asm__ volatile("");                                                                      \
    } while (0)
/* In front of a short loop of fixed length that runs for every event: its steps one by one. */
#if defined(__clang__)
#define HS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define HS_UNROLL _Pragma("GCC unroll 16")
#endif
/* A function of a header that is worth a copy in its callers of other files, where the program is
 * optimised as a whole. clang decides by itself, and wants all external that such a one calls. */
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

#endif
