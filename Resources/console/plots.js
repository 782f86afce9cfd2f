// Small plots of the last hour.

import { h, svg } from "./dom.js";
import { t } from "./i18n.js";

const WIDTH = 240;
const HEIGHT = 56;
/** The length of a value without neighbours: wide enough to be seen. */
const DASH = 4;

/**
 * The points of a line; gaps where there is no value.
 * @param {(number | null | undefined)[]} values
 * @param {number} top The value at the upper edge.
 * @param {number} count How many values the whole width has; those that are missing are the oldest.
 */
export function linePath(values, top, count) {
    const step = WIDTH / Math.max(count - 1, 1);
    const first = count - values.length;
    let isOpen = false;
    return values.map((value, index) => {
        if (value === null || value === undefined) {
            isOpen = false;
            return "";
        }
        const x = (first + index) * step;
        const y = (HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1);
        const command = isOpen ? "L" : "M";
        isOpen = true;
        // A value without neighbours is a short dash, also at the edges.
        const isAlone = command === "M" && (values[index + 1] ?? null) === null;
        if (!isAlone) return `${command}${x.toFixed(1)} ${y}`;
        const start = Math.min(Math.max(x - DASH / 2, 0), WIDTH - DASH);
        return `M${start.toFixed(1)} ${y}h${DASH}`;
    }).join("");
}

/**
 * @param {string} label
 * @param {{ name: string, values: (number | null | undefined)[] }[]} lines
 * @param {(value: number) => string} print
 * @param {number} count
 */
export function plot(label, lines, print, count) {
    const all = lines.flatMap(({ values }) => values).map(value => value ?? 0);
    const top = Math.max(...all, 0) || 1;
    const latest = lines.map(({ values }) => values[values.length - 1]);
    /** @param {number | null | undefined} value */
    const shown = value => (typeof value === "number" ? print(value) : "–");
    const now = latest.map(shown).join(" / ");
    const description = lines.map(({ name }, index) => `${name}: ${shown(latest[index])}`).join(", ");
    return h("figure", { class: "plot" },
        h("figcaption", {}, h("span", {}, label), h("strong", {}, now)),
        svg("svg", {
            viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none",
            "aria-label": t("plot.label", { label, description, top: print(top) }),
        }, lines.map(({ values }, index) => svg("path", {
            class: `line line-${index}`, d: linePath(values, top, count), "vector-effect": "non-scaling-stroke",
        }))),
        h("p", { class: "hint" }, t("plot.top", { top: print(top) }),
            lines.length > 1 ? lines.map(({ name }, index) =>
                h("span", { class: `legend legend-${index}` }, name)) : null));
}
