// Comments that wait for a decision, and those that were decided on.

import { request } from "./api.js";
import { badge, button, confirmed, field, fill, h, newID, say, sayError, select } from "./dom.js";
import { nameRoute } from "./here.js";
import { ago, t } from "./i18n.js";
import { printRoute } from "./routes.js";

/** @typedef {Record<string, any>} Comment */

/**
 * @param {HTMLElement} place
 * @param {import("./routes.js").Route} route
 * @returns {Promise<import("./here.js").View>}
 */
export async function showComments(place, route) {
    const status = select(["pending", "visible", "hidden"].map(each =>
        /** @type {[string, string]} */ ([each, t(`status.${each}`)])),
    route.query.get("status") ?? "pending", { id: newID() });
    const count = h("p", { class: "hint", role: "status" });
    const list = h("ul", { class: "rows comments" });
    const more = button(t("list.more"), () => void load(true).catch(sayError), { hidden: true });
    /** @type {Map<string, Promise<string>>} */
    const titles = new Map();
    let next = "";
    let turn = 0;

    /** @param {string} id */
    function title(id) {
        let found = titles.get(id);
        if (!found) {
            found = request("GET", `/v1/articles/${id}`, { query: { fields: "title" } })
                .then(article => article.title, () => id);
            titles.set(id, found);
        }
        return found;
    }

    /** @param {boolean} isMore */
    async function load(isMore) {
        const mine = ++turn;
        const page = await request("GET", "/v1/comments", {
            query: {
                status: status.value, limit: 50, cursor: isMore ? next : "",
                fields: "articleID,parentID,author,body,status,createdAt,version",
            },
        });
        if (mine !== turn) return;
        next = page.next ?? "";
        more.hidden = !next;
        if (!isMore) fill(list);
        list.append(...page.items.map(row));
        said();
    }

    function said() {
        const shown = list.childElementCount;
        count.textContent = shown ? t("comments.count", { count: shown })
            : t(status.value === "pending" ? "comments.nothing" : "comments.none");
    }

    /** @param {Comment} comment */
    function row(comment) {
        const article = h("a", { href: printRoute(["articles", comment.articleID]), dir: "auto" }, "…");
        void title(comment.articleID).then(text => { article.textContent = text; });
        const element = h("li", { class: "comment" },
            h("p", { class: "row-note" },
                h("strong", { dir: "auto" }, comment.author?.displayName ?? t("comments.deletedUser")),
                h("time", { datetime: comment.createdAt }, ago(comment.createdAt)),
                h("span", {}, t("comments.on")), article, badge(comment.status)),
            h("p", { class: "comment-text", dir: "auto" }, comment.body),
            h("div", { class: "actions start" },
                comment.status === "visible" ? null
                    : button(t("comments.approve"), () => void decide("visible"), { class: "primary" }),
                comment.status === "hidden" ? null
                    : button(t("comments.hide"), () => void decide("hidden")),
                button(t("delete"), () => void remove(), { class: "plain dangerous" })));

        /** @param {"visible" | "hidden"} decision */
        async function decide(decision) {
            try {
                await request("PATCH", `/v1/comments/${comment.id}`, {
                    body: { status: decision }, headers: { "If-Match": `"${comment.version}"` },
                });
                gone(t(`comments.now.${decision}`));
            } catch (error) {
                await reject(error);
            }
        }
        async function remove() {
            if (!await confirmed(t("comments.deleteTitle"), t("comments.deleteText"), t("delete"),
                { isDangerous: true })) return;
            try {
                await request("DELETE", `/v1/comments/${comment.id}`);
                gone(t("comments.now.deleted"));
            } catch (error) {
                await reject(error);
            }
        }
        /** @param {string} text */
        function gone(text) {
            const following = element.nextElementSibling ?? element.previousElementSibling;
            element.remove();
            said();
            /** @type {HTMLElement} */ (following?.querySelector("button") ?? status).focus();
            say(text);
        }
        /** @param {any} error */
        async function reject(error) {
            if (error.status !== 412 && error.status !== 404) return sayError(error);
            // Somebody else decided, or the writer has changed it: the list is shown as it is now.
            say(t("comments.changed"));
            await load(false).catch(sayError);
        }
        return element;
    }

    status.addEventListener("change", () => {
        nameRoute(printRoute(["comments"],
            { status: status.value === "pending" ? "" : status.value }));
        void load(false).catch(sayError);
    });
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.comments"))),
        h("div", { class: "filters" }, field(t("field.status"), status)), count, list,
        h("div", { class: "center" }, more));
    await load(false);
    return {};
}
