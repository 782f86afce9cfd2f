// What happens now: the stream of changes.

import { badge, fill, h } from "./dom.js";
import { date, t } from "./i18n.js";
import { liveState, onChange, recentChanges } from "./live.js";
import { printRoute } from "./routes.js";

/** @typedef {import("./live.js").Change} Change */

/**
 * @param {HTMLElement} place
 * @returns {import("./here.js").View}
 */
export function showActivity(place) {
    const state = h("p", { class: "live-state", role: "status" });
    const list = h("ol", { class: "rows", role: "log", "aria-label": t("nav.activity") });
    const empty = h("p", { class: "empty" }, t("activity.nothing"));
    const update = () => {
        state.textContent = t(`live.${liveState()}`);
        state.dataset.state = liveState();
        empty.hidden = recentChanges().length > 0;
    };
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.activity")), state), empty, list);
    list.append(...recentChanges().map(row));
    update();
    return {
        close: onChange(change => {
            if (change) list.prepend(row(change));
            while (list.childElementCount > 200) list.lastElementChild?.remove();
            update();
        }),
    };
}

/** @param {Change} change */
function row(change) {
    const { article, author } = change;
    const isGone = change.action === "delete";
    const title = article?.title ?? author?.name ?? change.id;
    const href = change.type === "article"
        ? printRoute(isGone ? ["articles", change.id, "history"] : ["articles", change.id]) : null;
    return h("li", { class: "row due" },
        h("time", { class: "due-time", datetime: new Date(change.time).toISOString() },
            date(change.time, { timeStyle: "medium" })),
        href ? h("a", { class: "row-title", href, dir: "auto" }, title)
            : h("span", { class: "row-title", dir: "auto" }, title),
        change.type === "article" ? badge(isGone ? "deleted" : article?.status ?? "draft") : null,
        h("p", { class: "row-note" },
            t(change.type === "author" ? "activity.author" : isGone ? "activity.deleted"
                : change.revision === 1 ? "activity.created" : "activity.changed",
            { number: change.revision })));
}
