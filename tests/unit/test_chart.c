/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Charts: scales and tick marks of axes, each expected value from the definition; and the markup:
 * escaped texts, paths in tenths, base64.
 */
#include "report/html/figure.c"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "support/sink.h"

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void places_on_both_kinds_of_scale(void **state)
{
    (void)state;
    const struct hs_scale even = {.from = 10, .to = 20, .at_from = 100, .at_to = 0};
    assert_near(hs_scale_at(&even, 12.5), 75); /* a quarter of the way from 100 down to 0 */
    assert_near(hs_scale_at(&even, 9), 100);
    assert_near(hs_scale_at(&even, 21), 0);
    assert_near(hs_scale_value(&even, 75), 12.5);

    const struct hs_scale log = {.from = 1, .to = 100, .at_from = 0, .at_to = 10, .is_log = true};
    assert_near(hs_scale_at(&log, 10), 5); /* one of two decades */
    assert_near(hs_scale_at(&log, 0), 0);  /* below the axis */
    assert_near(hs_scale_value(&log, 5), 10);
}

static void expect_ticks(double from, double to, bool is_log, enum hs_runcolumn_kind axis,
                         uint32_t wanted, const char *expected)
{
    const struct hs_scale scale = {.from = from, .to = to, .at_to = 1, .is_log = is_log};
    struct hs_tick ticks[HS_TICKS_MAX];
    char text[HS_TICKS_MAX * (HS_TICK_LABEL_SIZE + 1)] = "";
    size_t len = 0;
    const uint32_t count = scale_ticks(&scale, axis, wanted, ticks);
    assert_true(count <= wanted);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(ticks[i].value >= from * (1 - 1e-6) && ticks[i].value <= to * (1 + 1e-6));
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? "|" : "",
                                ticks[i].label);
    }
    assert_string_equal(text, expected);
}

static void even_marks(void **state)
{
    (void)state;
    /* steps of at least 100/5 = 20 */
    expect_ticks(0, 100, false, HS_COLUMN_PLAIN, 6, "0|20|40|60|80|100");
    /* at least 128/3 = 42.7: the next of 1, 2, 5 is 50 */
    expect_ticks(0, 128, false, HS_COLUMN_PLAIN, 4, "0|50|100");
    expect_ticks(0, 1, false, HS_COLUMN_SHARE, 6, "0 %|20 %|40 %|60 %|80 %|100 %");
    expect_ticks(-3, 3, false, HS_COLUMN_PLAIN, 4, "-2|0|2");
    expect_ticks(0, 25000, false, HS_COLUMN_PLAIN, 4, "0|10k|20k");
}

static void marks_of_time(void **state)
{
    (void)state;
    /* 469194/9 = 52133 s: the next step of clocks and calendars is a day */
    expect_ticks(0, 469194, false, HS_COLUMN_TIME, 10, "0|1 d|2 d|3 d|4 d|5 d");
    expect_ticks(0, 4000, false, HS_COLUMN_TIME, 6, "0|15 min|30 min|45 min|60 min");
    expect_ticks(0, 7, false, HS_COLUMN_TIME, 8, "0|1 s|2 s|3 s|4 s|5 s|6 s|7 s");
    expect_ticks(0, 0.004, false, HS_COLUMN_TIME, 5, "0|0.001 s|0.002 s|0.003 s|0.004 s");
}

static void marks_of_logarithms(void **state)
{
    (void)state;
    expect_ticks(1, 1000, true, HS_COLUMN_PLAIN, 6, "1|10|100|1k");
    expect_ticks(0.5, 20, true, HS_COLUMN_PLAIN, 9, "0.5|1|2|5|10|20");
    /* 9 decades on 5 marks: every second one */
    expect_ticks(1, 1e8, true, HS_COLUMN_PLAIN, 5, "1|100|10k|1M|100M");
    expect_ticks(1, 86400, true, HS_COLUMN_TIME, 8, "1 s|10 s|1 min|10 min|1 h|6 h|1 d");
    /* all seven steps are too many for six marks */
    expect_ticks(1, 86400, true, HS_COLUMN_TIME, 6, "1 s|1 min|1 h|1 d");
    expect_ticks(2, 40, true, HS_COLUMN_TIME, 9, "2 s|5 s|10 s|15 s|30 s");
}

static void short_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},         {950, "950"},    {999.4, "999"}, {999.5, "1k"},
                 {12345, "12.3k"}, {3.4e6, "3.4M"}, {0.25, "0.25"}, {-2000, "-2k"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HS_TICK_LABEL_SIZE];
        hs_short_number(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

static struct sink sink;
static struct hs_output out;

static void begin(void)
{
    sink_init(&sink);
    assert_int_equal(hs_output_open(&out, scratch_path("out"), &sink.diag), HS_OK);
}

static void expect(const char *expected)
{
    char *text;
    size_t len;
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    assert_int_equal(hs_read_file(scratch_path("out"), 1 << 20, &text, &len, &sink.diag), HS_OK);
    assert_string_equal(text, expected);
    hs_free(text);
}

static void expect_text(const char *text, const char *expected)
{
    begin();
    hs_markup(&out, "%s", text);
    expect(expected);
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void texts_are_made_safe(void **state)
{
    (void)state;
    expect_text("<script>alert('x & \"y\"')</script>",
                "&lt;script&gt;alert(&#39;x &amp; &quot;y&quot;&#39;)&lt;/script&gt;");
    expect_text("caf\xc3\xa9 \xf0\x9f\x98\x80\ttab", "caf\xc3\xa9 \xf0\x9f\x98\x80\ttab");
    expect_text("bell\x07 escape\x1b", "bell" BAD " escape" BAD);
    expect_text("latin-1 \xe9!", "latin-1 " BAD "!");
    expect_text("\xc0\xaf", BAD BAD);                 /* '/' in two bytes: not the shortest form */
    expect_text("\xe0\x80\xaf", BAD BAD BAD);         /* in three */
    expect_text("\xed\xa0\x80", BAD BAD BAD);         /* half a surrogate pair */
    expect_text("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* U+110000 */
    expect_text("\xef\xbf\xbf", BAD BAD BAD);         /* U+FFFF is not in XML */
    expect_text("cut \xe2\x82", "cut " BAD BAD);
}

static void a_path_in_tenths(void **state)
{
    (void)state;
    struct hs_path path;
    begin();
    hs_path_begin(&path, &out, "line", "k0");
    hs_path_to(&path, 1, 2); /* the path starts here */
    hs_path_to(&path, 3, 2); /* these two continue to the right: one step */
    hs_path_to(&path, 5, 2);
    hs_path_to(&path, 5, 1.96); /* less than a twentieth: no step */
    hs_path_to(&path, 5, 4.06); /* down, to 40.6 tenths */
    hs_path_to(&path, 6, 3);    /* to the right and up */
    hs_path_to(&path, 5, 3);    /* back: a separate step, not subtracted from the last */
    hs_path_close(&path);
    hs_path_end(&path, "a<b");
    expect("<path class=\"line k0\" transform=\"scale(.1)\" d=\"M10 20h40v21l10-11h-10z\">"
           "<title>a&lt;b</title></path>");
}

static void rectangles_and_lengths(void **state)
{
    (void)state;
    begin();
    hs_svg_rect(&out, "bar", NULL, 1.25, -0.5, 10, 0.04, NULL);
    expect("<rect class=\"bar\" x=\"1.3\" y=\"-0.5\" width=\"10\" height=\"0\"/>");
}

/* %s is escaped, numbers and the markup itself are not. */
static void markup_with_texts_in_it(void **state)
{
    (void)state;
    begin();
    hs_markup(&out, "<b title=\"%s\">%u of %" PRIu64 ", 5 %%</b>", "a<\"b\"", 7u, UINT64_MAX);
    expect("<b title=\"a&lt;&quot;b&quot;\">7 of 18446744073709551615, 5 %</b>");
}

static void a_cell_has_every_digit(void **state)
{
    (void)state;
    const struct hs_runcolumn column = hs_runcolumn_of("mean_jct");
    begin();
    hs_html_cell(&out, &column, 3587.572, "best", "0.95x");
    hs_html_cell(&out, &column, (double)NAN, NULL, "");
    expect("<td class=\"best\" data-metric=\"mean_jct\" data-value=\"3587.572\">1.00 h"
           "<small>0.95x</small></td><td data-metric=\"mean_jct\">-</td>");
}

/* RFC 4648, section 10. */
static void base64(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[160];
        (void)snprintf(expected, sizeof expected,
                       "<image preserveAspectRatio=\"none\" x=\"1\" y=\"2\" width=\"3\" "
                       "height=\"4\" href=\"data:image/png;base64,%s\"/>\n",
                       cases[i][1]);
        begin();
        hs_svg_image(&out, 1, 2, 3, 4, (const unsigned char *)cases[i][0], strlen(cases[i][0]));
        expect(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_on_both_kinds_of_scale),
        cmocka_unit_test(even_marks),
        cmocka_unit_test(marks_of_time),
        cmocka_unit_test(marks_of_logarithms),
        cmocka_unit_test(short_numbers),
        cmocka_unit_test(texts_are_made_safe),
        cmocka_unit_test(a_path_in_tenths),
        cmocka_unit_test(rectangles_and_lengths),
        cmocka_unit_test(markup_with_texts_in_it),
        cmocka_unit_test(a_cell_has_every_digit),
        cmocka_unit_test(base64),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
