// Work on several articles at once: each is a request of its own, and each failure is named.

import { request } from "./api.js";
import { button, dialog, explained, fill, h, say, setError, field, newID } from "./dom.js";
import { t } from "./i18n.js";
import { completions, tags } from "./known.js";

/** @typedef {Record<string, any>} Article */

/** How many requests are under way at a time. */
const WIDTH = 4;

/**
 * Performs work on all items, a few at a time.
 * @template T
 * @param {T[]} items
 * @param {number} width
 * @param {(item: T) => Promise<void>} work
 */
export async function inParallel(items, width, work) {
    let next = 0;
    const lane = async () => {
        while (next < items.length) await work(items[next++]);
    };
    await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

export class BulkBar {
    /**
     * @param {() => Article[]} chosen
     * @param {(id: string, article: Article) => void} updated
     * @param {() => void} clear
     */
    constructor(chosen, updated, clear) {
        this.chosen = chosen;
        this.updated = updated;
        this.label = h("span", { role: "status" });
        this.progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": t("bulk.progress") });
        this.buttons = [
            button(t("editor.publish"), () => void this.#run(() => ({ status: "published" }),
                article => article.status !== "published")),
            button(t("archive"), () => void this.#run(() => ({ status: "archived" }),
                article => article.status !== "archived")),
            button(t("bulk.tag"), () => void this.#tag()),
            button(t("bulk.clear"), clear, { class: "plain" }),
        ];
        this.element = h("div", { class: "bulk", role: "group", "aria-label": t("bulk.label"), hidden: true },
            this.label, this.progress, this.buttons);
    }

    /** @param {number} count */
    show(count) {
        this.element.hidden = !count;
        this.label.textContent = count ? t("bulk.count", { count }) : "";
    }

    async #tag() {
        const name = await dialog(t("bulk.tag"), close => {
            const list = h("datalist", { id: newID() });
            const input = h("input", {
                type: "text", id: newID(), maxlength: 64, list: list.id, autocomplete: "off", dir: "auto",
            });
            input.addEventListener("input", async () => {
                const found = await completions(tags(), input.value).catch(() => []);
                fill(list, found.slice(0, 20).map(value => h("option", { value })));
            });
            const form = h("form", { class: "stack" }, field(t("list.tag"), input), list,
                h("div", { class: "actions" }, button(t("cancel"), () => close(null)),
                    h("button", { type: "submit", class: "primary" }, t("bulk.add"))));
            form.addEventListener("submit", event => {
                event.preventDefault();
                if (!input.value.trim()) return setError(input, t("bulk.needsTag"));
                close(input.value.trim());
            });
            return form;
        });
        if (!name) return;
        await this.#run(article => ({
            tags: [...article.tags.map((/** @type {any} */ tag) => tag.name), name],
        }), article => !article.tags.some((/** @type {any} */ tag) =>
            tag.name.toLowerCase() === name.toLowerCase()));
    }

    /**
     * @param {(article: Article) => object} patch
     * @param {(article: Article) => boolean} isNeeded
     */
    async #run(patch, isNeeded) {
        const articles = this.chosen().filter(isNeeded);
        /** @type {{ article: Article, reason: string }[]} */
        const failures = [];
        let done = 0;
        this.progress.hidden = false;
        for (const each of this.buttons) each.disabled = true;
        await inParallel(articles, WIDTH, async article => {
            try {
                const result = await request("PATCH", `/v1/articles/${article.id}`, {
                    body: patch(article),
                    headers: {
                        "If-Match": `"${article.version}"`, "Idempotency-Key": crypto.randomUUID(),
                    },
                });
                this.updated(article.id, result);
            } catch (error) {
                const isStale = /** @type {any} */ (error).status === 412;
                failures.push({ article, reason: isStale ? t("bulk.changed") : explained(error) });
            }
            done += 1;
            this.progress.value = done / articles.length;
        });
        this.progress.hidden = true;
        for (const each of this.buttons) each.disabled = false;
        say(t("bulk.done", { count: articles.length - failures.length }));
        if (failures.length) await this.#report(failures);
    }

    /** @param {{ article: Article, reason: string }[]} failures */
    async #report(failures) {
        await dialog(t("bulk.failed", { count: failures.length }), close => [
            h("ul", { class: "report" }, failures.map(({ article, reason }) =>
                h("li", {}, h("strong", { dir: "auto" }, article.title), ` ${reason}`))),
            h("div", { class: "actions" }, button(t("close"), () => close(), { class: "primary" })),
        ]);
    }
}
