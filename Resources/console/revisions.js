// The history of an article: what each revision changed, by word, and the way back to it.

import { request } from "./api.js";
import { markedDifference, readable } from "./conflict.js";
import { badge, button, confirmed, fill, h, icon, say, sayError } from "./dom.js";
import { FIELDS, contentOf, isSame } from "./edits.js";
import { nameRoute } from "./here.js";
import { date, t } from "./i18n.js";
import { printRoute } from "./routes.js";

/** @typedef {Record<string, any>} Revision */

/** Texts of which the differences are shown by word. */
const TEXTS = ["title", "summary", "body"];

/**
 * @param {HTMLElement} place
 * @param {string} id
 * @param {import("./routes.js").Route} route
 * @returns {Promise<import("./here.js").View>}
 */
export async function showRevisions(place, id, route) {
    const view = new RevisionsView(place, id);
    await view.load(Number(route.query.get("revision")) || 0);
    return view;
}

class RevisionsView {
    /** @type {Revision[]} */
    #revisions = [];
    /** @type {string | null} */
    #next = null;
    /** @type {Map<number, Promise<Record<string, any>>>} */
    #contents = new Map();
    #shown = 0;

    /**
     * @param {HTMLElement} place
     * @param {string} id
     */
    constructor(place, id) {
        this.place = place;
        this.id = id;
        this.list = h("ol", { class: "revisions", reversed: true });
        this.more = button(t("list.more"), () => void this.#loadMore(), { hidden: true });
        this.difference = h("section", { class: "difference", "aria-live": "polite" });
    }

    /** @param {number} wanted The revision to show; 0 for the latest. */
    async load(wanted) {
        await this.#fetchPage();
        const latest = this.#revisions[0];
        const isDeleted = latest?.action === "deleted";
        const back = isDeleted ? "#/articles?status=deleted" : printRoute(["articles", this.id]);
        fill(this.place,
            h("header", { class: "page-head" },
                h("a", { class: "icon-button", href: back, "aria-label": t("back"), title: t("back") },
                    icon("back")),
                h("h1", { dir: "auto" }, latest?.title || t("history"))),
            isDeleted ? h("div", { class: "editor-note" }, h("span", {}, t("history.deleted")),
                button(t("history.restoreDeleted"), () => void this.#restore(latest.number),
                    { class: "primary" })) : null,
            h("div", { class: "history" },
                h("nav", { "aria-label": t("history") }, this.list, this.more), this.difference));
        await this.show(wanted || latest?.number || 0);
    }

    close() {}

    async #fetchPage() {
        const page = await request("GET", `/v1/articles/${this.id}/revisions`, {
            query: { limit: 50, cursor: this.#next },
        });
        this.#revisions.push(...page.items);
        this.#next = page.next ?? null;
        this.more.hidden = !this.#next;
        this.#renderList();
    }

    async #loadMore() {
        try {
            await this.#fetchPage();
        } catch (error) {
            sayError(error);
        }
    }

    #renderList() {
        fill(this.list, this.#revisions.map(revision => h("li", {},
            h("button", {
                type: "button", class: "revision",
                "aria-current": revision.number === this.#shown ? "true" : null,
                onclick: () => void this.show(revision.number),
            },
            h("span", { class: "revision-head" }, t("history.number", { number: revision.number }), " ",
                badge(revision.action === "deleted" ? "deleted" : revision.status)),
            h("span", { class: "hint" }, t(`action.${revision.action}`), " · ",
                revision.actor?.name ?? revision.editor ?? t("nobody")),
            h("time", { class: "hint", datetime: revision.createdAt }, date(revision.createdAt))))));
    }

    /** @param {number} number */
    #content(number) {
        let content = this.#contents.get(number);
        if (!content) {
            content = request("GET", `/v1/articles/${this.id}/revisions/${number}`);
            content.catch(() => this.#contents.delete(number));
            this.#contents.set(number, content);
        }
        return content;
    }

    /** @param {number} number */
    async show(number) {
        if (!number) return;
        this.#shown = number;
        nameRoute(printRoute(["articles", this.id, "history"], { revision: String(number) }));
        const hadFocus = this.list.contains(document.activeElement);
        this.#renderList();
        if (hadFocus) {
            /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-current]"))?.focus();
        }
        try {
            const [after, before] = await Promise.all([this.#content(number),
                number > 1 ? this.#content(number - 1) : Promise.resolve({})]);
            if (this.#shown === number) this.#renderDifference(number, before, after);
        } catch (error) {
            sayError(error);
        }
    }

    /**
     * @param {number} number
     * @param {Record<string, any>} before
     * @param {Record<string, any>} after
     */
    #renderDifference(number, before, after) {
        const old = contentOf(before);
        const fresh = contentOf(after);
        const changed = FIELDS.filter(field => !isSame(old[field], fresh[field]));
        const isLatest = number === this.#revisions[0]?.number;
        fill(this.difference,
            h("div", { class: "difference-head" },
                h("h2", {}, t("history.changes", { number })),
                isLatest ? null
                    : button(t("history.restore"), () => void this.#restore(number), { class: "primary" })),
            changed.length ? null : h("p", { class: "hint" }, t("history.same")),
            changed.map(field => h("section", { class: "changed" },
                h("h3", {}, t(`field.${field}`)),
                TEXTS.includes(field)
                    ? h("p", { class: "text", dir: "auto" },
                        markedDifference(String(old[field]), String(fresh[field]), 300))
                    : h("p", { class: "text", dir: "auto" },
                        number > 1 && readable(field, old[field]) !== t("nothing")
                            ? [h("del", {}, readable(field, old[field])), " "] : null,
                        h("ins", {}, readable(field, fresh[field]))))));
    }

    /** @param {number} number */
    async #restore(number) {
        const latest = this.#revisions[0];
        const isDeleted = latest.action === "deleted";
        if (!isDeleted && !await confirmed(t("history.restoreTitle", { number }), t("history.restoreText"),
            t("history.restore"))) return;
        try {
            // A deleted article comes back as it was before it was deleted.
            const wanted = isDeleted && number === latest.number ? Math.max(number - 1, 1) : number;
            await request("POST", `/v1/articles/${this.id}/revisions/${wanted}/restore`, {
                headers: { "Idempotency-Key": crypto.randomUUID() },
            });
            say(t("history.restored", { number: wanted }));
            location.hash = printRoute(["articles", this.id]);
        } catch (error) {
            sayError(error);
        }
    }
}
