// Deleted articles, with the way back.

import { request } from "./api.js";
import { badge, button, confirmed, h, say, sayError } from "./dom.js";
import { ago, date, t } from "./i18n.js";
import { printRoute } from "./routes.js";

/** @typedef {Record<string, any>} DeletedArticle */

/**
 * @param {number} limit
 * @param {string} cursor
 * @param {AbortSignal} [signal]
 */
export const deletedPage = (limit, cursor, signal) =>
    request("GET", "/v1/deleted-articles", { query: { limit, cursor }, signal });

/**
 * @param {DeletedArticle} article
 * @param {() => void} gone Called when it is not deleted any more.
 */
export function deletedRow(article, gone) {
    return h("li", { class: "row key" },
        h("a", { class: "row-title", href: printRoute(["articles", article.id, "history"]), dir: "auto" },
            article.title),
        badge("deleted"),
        h("p", { class: "row-note" },
            h("time", { datetime: article.deletedAt, title: date(article.deletedAt) },
                t("list.deleted", { ago: ago(article.deletedAt), name: article.actor.name ?? t("nobody") })),
            h("span", {}, t("list.was", { status: t(`status.${article.status}`) }))),
        h("span", { class: "row-action" }, button(t("list.restore"), () => void restore(article, gone), {
            class: "plain", "aria-label": t("list.restoreNamed", { title: article.title }),
        })));
}

/**
 * @param {DeletedArticle} article
 * @param {() => void} gone
 */
async function restore(article, gone) {
    const { id, title, status, revision, version } = article;
    // What was public becomes so again.
    if (status === "published" && !await confirmed(t("list.restoreNamed", { title }),
        t("list.restorePublic"), t("list.restore"))) return;
    try {
        await request("POST", `/v1/articles/${id}/revisions/${revision}/restore`, {
            headers: { "If-Match": `"${version}"`, "Idempotency-Key": crypto.randomUUID() },
        });
        gone();
        say(t("list.restored", { title }), {
            action: [t("edit"), () => { location.hash = printRoute(["articles", id]); }],
        });
    } catch (error) {
        if (/** @type {any} */ (error).status !== 412) return sayError(error);
        // Somebody else was quicker.
        gone();
        say(t("list.restoredElsewhere", { title }));
    }
}
