/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What comes out as markup: texts made safe, paths in tenths, base64.
 */
#include "report/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "report/html.h"
#include "support/sink.h"

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
    hs_html_text(&out, text);
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
    hs_path_begin(&path, &out, "line k0");
    hs_path_to(&path, 1, 2); /* begins there */
    hs_path_to(&path, 3, 2); /* these two go on to the right: one step */
    hs_path_to(&path, 5, 2);
    hs_path_to(&path, 5, 1.96); /* less than a twentieth: no step */
    hs_path_to(&path, 5, 4.06); /* down, to 40.6 tenths */
    hs_path_to(&path, 6, 3);    /* to the right and up */
    hs_path_to(&path, 5, 3);    /* back: another step, not taken from the last */
    hs_path_close(&path);
    hs_path_end(&path, "a<b");
    expect("<path class=\"line k0\" transform=\"scale(.1)\" d=\"M10 20h40v21l10-11h-10z\">"
           "<title>a&lt;b</title></path>");
}

static void rectangles_and_lengths(void **state)
{
    (void)state;
    begin();
    hs_svg_rect(&out, "bar", 1.25, -0.5, 10, 0.04, NULL);
    expect("<rect class=\"bar\" x=\"1.3\" y=\"-0.5\" width=\"10\" height=\"0\"/>");
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
        char expected[64] = "data:image/png;base64,";
        memcpy(expected + strlen(expected), cases[i][1], strlen(cases[i][1]) + 1);
        begin();
        hs_html_data_uri(&out, "image/png", (const unsigned char *)cases[i][0],
                         strlen(cases[i][0]));
        expect(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_made_safe),
        cmocka_unit_test(a_path_in_tenths),
        cmocka_unit_test(rectangles_and_lengths),
        cmocka_unit_test(a_cell_has_every_digit),
        cmocka_unit_test(base64),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
