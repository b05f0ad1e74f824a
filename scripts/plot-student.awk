# SPDX-License-Identifier: GPL-3.0-or-later
#
# Student's t: the quantile of 97.5 % for whole degrees of freedom, from the finite sums of Abramowitz
# and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4, turned over by bisection.

# Probability that |t| is at most t.
function student_within(t, df,    angle, cosine, sum, term, i) {
    angle = atan2(t, sqrt(df))
    cosine = cos(angle)
    if (df == 1) return 2 * angle / 3.14159265358979324
    term = sum = df % 2 ? cosine : 1
    for (i = df % 2 ? 3 : 2; i < df; i += 2) {
        term *= cosine * cosine * (i - 1) / i
        sum += term
    }
    return df % 2 ? 2 / 3.14159265358979324 * (angle + sin(angle) * sum) : sin(angle) * sum
}

function student_quantile(df,    low, high, i) { # of 97.5 %: 95 % lie within
    high = 13
    for (i = 0; i < 60; i++)
        if (student_within((low + high) / 2, df) < 0.95) low = (low + high) / 2
        else high = (low + high) / 2
    return (low + high) / 2
}
