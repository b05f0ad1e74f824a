/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the page of `horus report` can do where a browser runs scripts: tables sort by a click on
 * a heading and long ones are filtered by words; a figure opens in the whole window, where it is zoomed by
 * wheel or + and -, moved by drag or arrows. The page is complete without it. No name is made up from
 * text of the page, and nothing is fetched.
 */
"use strict";
(function () {
const SVG = "http://www.w3.org/2000/svg"; /* a name, which nothing fetches */
const UNITS = {s: 1, min: 60, h: 3600, d: 86400, k: 1e3, M: 1e6};

function make(name, parent, props) {
    return parent.appendChild(Object.assign(document.createElement(name), props));
}

/* The number of a cell, with its unit; NaN if it is text. */
function valueOf(cell) {
    const exact = cell ? cell.dataset.value : undefined;
    if (exact !== undefined)
        return Number(exact);
    const words = /^([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*(\S*)/.exec(cell ? cell.textContent.trim() : "");
    return words ? Number(words[1].replace(/,/g, "")) * (UNITS[words[2]] || 1) : NaN;
}

function compare(a, b, column) {
    const x = a.cells[column], y = b.cells[column], p = valueOf(x), q = valueOf(y);
    if (isNaN(p) !== isNaN(q))
        return isNaN(p) ? 1 : -1;
    return p - q || (isNaN(p) ? x.textContent.localeCompare(y.textContent) : 0);
}

/* Up, down, and as it was. */
function sortable(table) {
    const body = table.tBodies[0], rows = Array.from(body.rows), heads = table.tHead.rows[0].cells;
    Array.from(heads).forEach(function (head, column) {
        if (!head.textContent.trim() || head.colSpan > 1)
            return;
        const label = head.textContent;
        head.textContent = "";
        make("button", head, {type: "button", className: "sort", textContent: label}).onclick = function () {
            const was = head.getAttribute("aria-sort");
            const now = was === "ascending" ? "descending" : was === "descending" ? "" : "ascending";
            Array.from(heads).forEach(function (other) { other.removeAttribute("aria-sort"); });
            if (now)
                head.setAttribute("aria-sort", now);
            const sign = now === "descending" ? -1 : 1;
            const sorted = now ? rows.slice().sort(function (a, b) {
                return isNaN(valueOf(a.cells[column])) || isNaN(valueOf(b.cells[column]))
                    ? compare(a, b, column) : sign * compare(a, b, column);
            }) : rows;
            sorted.forEach(function (row) { body.appendChild(row); });
        };
    });
    if (rows.length < 12)
        return;
    const box = document.createElement("input");
    Object.assign(box, {type: "search", className: "filter", placeholder: "filter rows"});
    box.setAttribute("aria-label", "filter rows");
    table.parentNode.insertBefore(box, table);
    box.oninput = function () {
        const words = box.value.toLowerCase().split(/\s+/);
        rows.forEach(function (row) {
            const text = row.textContent.toLowerCase();
            row.hidden = !words.every(function (word) { return text.includes(word); });
        });
    };
}

/* The picture fills the window; its view box is what is seen of it. */
function enlarge(figure) {
    const dialog = make("dialog", document.body, {className: "zoomed"});
    const bar = make("p", dialog, {className: "note"});
    const svg = dialog.appendChild(document.createElementNS(SVG, "svg"));
    const whole = [0, 0, 0, 0];
    figure.querySelectorAll("svg").forEach(function (one) { /* below each other */
        const part = svg.appendChild(document.createElementNS(SVG, "g")), box = one.viewBox.baseVal;
        part.setAttribute("transform", "translate(0 " + whole[3] + ")");
        part.append(...one.cloneNode(true).childNodes);
        whole[2] = Math.max(whole[2], box.width);
        whole[3] += box.height;
    });
    let view = whole.slice(), from = null;
    bar.textContent = "wheel, + and - zoom; drag and arrows move; 0 shows all; Esc closes ";
    make("button", bar, {type: "button", textContent: "close"}).onclick = function () { dialog.close(); };

    function show() {
        svg.setAttribute("viewBox", view.join(" "));
        svg.style.setProperty("--zoom", whole[2] / view[2]);
    }
    /* x, y: the point that stays, as shares of the view. */
    function zoom(factor, x, y) {
        const wide = Math.min(whole[2], Math.max(whole[2] / 64, view[2] * factor)), share = wide / view[2];
        view = [view[0] + view[2] * (1 - share) * x, view[1] + view[3] * (1 - share) * y, wide, view[3] * share];
        move(0, 0);
    }
    /* By shares of the view, within the picture. */
    function move(x, y) {
        [x, y].forEach(function (by, i) {
            const most = whole[i] + whole[i + 2] - view[i + 2];
            view[i] = Math.min(most, Math.max(whole[i], view[i] + by * view[i + 2]));
        });
        show();
    }
    function place(event) {
        const box = svg.getBoundingClientRect();
        return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    }
    svg.addEventListener("wheel", function (event) {
        event.preventDefault();
        zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event)[0], place(event)[1]);
    }, {passive: false});
    svg.onpointerdown = function (event) { from = place(event); svg.setPointerCapture(event.pointerId); };
    svg.onpointerup = function () { from = null; };
    svg.onpointermove = function (event) {
        if (!from)
            return;
        const to = place(event);
        move(from[0] - to[0], from[1] - to[1]);
        from = to;
    };
    dialog.onkeydown = function (event) {
        const moves = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]};
        if (moves[event.key])
            move(moves[event.key][0], moves[event.key][1]);
        else if (event.key === "+" || event.key === "-")
            zoom(event.key === "+" ? 0.8 : 1.25, 0.5, 0.5);
        else if (event.key === "0")
            zoom(64, 0.5, 0.5);
        else
            return;
        event.preventDefault();
    };
    dialog.onclose = function () { dialog.remove(); };
    dialog.showModal();
    show();
}

document.querySelectorAll("table.figures").forEach(function (table) {
    if (table.tHead && table.tBodies[0] && table.tBodies[0].rows.length > 1)
        sortable(table);
});
document.querySelectorAll("figure").forEach(function (figure) {
    if (figure.querySelector("figcaption") && figure.querySelector("svg"))
        make("button", figure, {type: "button", className: "enlarge", title: "zoom", textContent: "\u2922"})
            .onclick = function () { enlarge(figure); };
});
})();
