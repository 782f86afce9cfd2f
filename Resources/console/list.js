// All articles: filters, search as one types, and work on several at once.

import { request } from "./api.js";
import { BulkBar } from "./bulk.js";
import { deletedPage, deletedRow } from "./deleted.js";
import { drafts } from "./drafts.js";
import { badge, button, field, fill, h, newID, sayError, select } from "./dom.js";
import { nameRoute } from "./here.js";
import { ago, date, t } from "./i18n.js";
import { authors, completions, tags } from "./known.js";
import { onChange } from "./live.js";
import { printRoute } from "./routes.js";
import { ownerOfDrafts } from "./saving.js";
import { search } from "./search.js";

/**
 * @typedef {Record<string, any>} Article
 * @typedef {import("./here.js").View} View
 */

const FIELDS = "title,slug,status,publishedAt,updatedAt,version,authors,tags,language";
const PAGE = 100;
const STATUSES = ["draft", "scheduled", "published", "archived"];

/**
 * @param {HTMLElement} place
 * @param {import("./routes.js").Route} route
 * @returns {Promise<View>}
 */
export async function showList(place, route) {
    const view = new ListView(place, route.query);
    await view.load();
    return view;
}

class ListView {
    /** @type {Map<string, { row: HTMLElement, article: Article, box: HTMLInputElement }>} */
    #rows = new Map();
    /** @type {string | null} */
    #next = null;
    #loading = 0;
    /** @type {(() => void)[]} */
    #ends = [];
    /** @type {AbortController | undefined} */
    #running;
    /** The next page is fetched before the end of this one comes into sight. */
    #watcher = new IntersectionObserver(entries => {
        if (entries.some(entry => entry.isIntersecting)) void this.loadMore();
    }, { rootMargin: "1200px" });

    /**
     * @param {HTMLElement} place
     * @param {URLSearchParams} query
     */
    constructor(place, query) {
        this.search = h("input", {
            type: "search", id: "search", value: query.get("q") ?? "", maxlength: 200, dir: "auto",
            placeholder: t("list.search"), autocomplete: "off", spellcheck: "false",
        });
        this.status = select([["", t("list.anyStatus")],
            ...STATUSES.map(each => /** @type {[string, string]} */ ([each, t(`status.${each}`)])),
            ["deleted", t("status.deleted")]], query.get("status") ?? "", { id: newID() });
        this.tag = this.#filter(query.get("tag"), typed => completions(tags(), typed));
        this.author = this.#filter(query.get("author"), typed => completions(authors(), typed));
        this.language = this.#filter(query.get("language"), async () => ["en", "ko", "de", "fr", "ja"]);
        this.sort = select([["-updatedAt", t("sort.-updatedAt")], ["-publishedAt", t("sort.-publishedAt")],
            ["publishedAt", t("sort.publishedAt")], ["-createdAt", t("sort.-createdAt")]],
        query.get("sort") ?? "-updatedAt", { id: newID() });
        this.count = h("p", { class: "hint", role: "status" });
        this.list = h("div", { class: "pages" });
        this.all = h("input", {
            type: "checkbox", onchange: () => this.#chooseAll(this.all.checked),
        });
        this.choice = h("label", { class: "choice" }, this.all, t("list.all"));
        this.more = button(t("list.more"), () => void this.loadMore(), { hidden: true });
        this.unsaved = h("div", {});
        this.bulk = new BulkBar(() => this.#chosen(), (id, article) => this.#update(id, article),
            () => this.#chooseAll(false));
        fill(place,
            h("header", { class: "page-head" }, h("h1", {}, t("nav.articles")),
                h("a", { class: "button primary", href: "#/articles/new" }, t("list.new"))),
            this.unsaved,
            h("div", { class: "filters", role: "search" },
                field(t("list.search"), this.search, { isLabelHidden: true }),
                field(t("field.status"), this.status),
                field(t("list.tag"), this.tag.input), this.tag.list,
                field(t("list.author"), this.author.input), this.author.list,
                field(t("field.language"), this.language.input), this.language.list,
                field(t("list.sort"), this.sort)),
            h("div", { class: "list-head" }, this.choice, this.count),
            this.list, h("div", { class: "center" }, this.more), this.bulk.element);
        this.#listen();
    }

    /**
     * @param {string | null} value
     * @param {(typed: string) => Promise<string[]>} complete
     */
    #filter(value, complete) {
        const list = h("datalist", { id: newID() });
        const input = h("input", {
            type: "text", id: newID(), list: list.id, value: value ?? "", autocomplete: "off", dir: "auto",
        });
        input.addEventListener("input", async () => {
            const found = await complete(input.value).catch(() => []);
            fill(list, found.slice(0, 20).map(each => h("option", { value: each })));
        });
        return { input, list };
    }

    #listen() {
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let timer;
        const soon = () => {
            clearTimeout(timer);
            timer = setTimeout(() => void this.load(), 180);
        };
        this.search.addEventListener("input", soon);
        for (const control of [this.status, this.sort]) {
            control.addEventListener("change", () => void this.load());
        }
        for (const { input } of [this.tag, this.author, this.language]) {
            input.addEventListener("change", () => void this.load());
        }
        this.#watcher.observe(this.more);
        this.#ends.push(() => clearTimeout(timer), () => this.#watcher.disconnect(),
            onChange(change => {
                if (change?.type !== "article") return;
                if ((change.action === "delete") !== this.#showsDeleted) this.#remove(change.id);
                else if (change.article && this.#rows.has(change.id)) {
                    this.#update(change.id, { id: change.id, ...change.article });
                }
            }));
    }

    close() {
        this.#running?.abort();
        for (const end of this.#ends) end();
    }

    // ---- Loading ----

    async load() {
        this.#running?.abort();
        const { signal } = this.#running = new AbortController();
        const typed = this.search.value.trim();
        nameRoute(printRoute(["articles"], {
            q: typed, status: this.status.value, tag: this.tag.input.value.trim(),
            author: this.author.input.value.trim(), language: this.language.input.value.trim(),
            sort: this.sort.value === "-updatedAt" ? "" : this.sort.value,
        }));
        for (const each of [this.search, this.tag.input, this.author.input, this.language.input]) {
            each.disabled = this.#showsDeleted;
        }
        this.sort.disabled = this.#showsDeleted || !!typed;
        this.choice.hidden = this.#showsDeleted;
        try {
            const page = await this.#page("", signal);
            if (signal.aborted) return;
            this.#clear();
            this.#append(page.items);
            this.#next = page.next ?? null;
            this.#say(page, typed);
            await this.#showUnsaved();
        } catch (error) {
            if (signal.aborted) return;
            sayError(error);
        }
    }

    /** Deleted articles are a list of their own, without filters. */
    get #showsDeleted() { return this.status.value === "deleted"; }

    /**
     * @param {string} cursor
     * @param {AbortSignal} [signal]
     */
    async #page(cursor, signal) {
        if (this.#showsDeleted) return await deletedPage(PAGE, cursor, signal);
        const filter = await this.#query();
        const typed = this.search.value.trim();
        if (typed) return await search(typed, filter, cursor, signal);
        return await request("GET", "/v1/articles", {
            query: { ...filter, sort: this.sort.value, limit: PAGE, fields: FIELDS, cursor,
                count: cursor ? "" : "exact" },
            signal,
        });
    }

    async #query() {
        const name = this.author.input.value.trim();
        const author = name ? (await authors()).find(each => each.name === name)?.id : undefined;
        return {
            status: this.status.value, tag: this.tag.input.value.trim(),
            language: this.language.input.value.trim(),
            // A name that nobody has finds nothing.
            author: name ? author ?? "00000000-0000-7000-8000-000000000000" : undefined,
        };
    }

    /**
     * @param {{ count?: { value: number, isExact: boolean }, correctedTo?: string, items: Article[],
     *     next?: string }} page
     * @param {string} typed
     */
    #say(page, typed) {
        const count = page.count?.value ?? page.items.length;
        const isMore = page.count?.isExact === false || (!page.count && page.next);
        let text = !count ? t(this.#showsDeleted ? "list.nothingDeleted"
            : typed ? "list.nothingFound" : "list.nothing")
            : isMore ? t("list.countMore", { count }) : t("list.count", { count });
        if (page.correctedTo) text += " " + t("list.corrected", { query: page.correctedTo });
        this.count.textContent = text;
        this.more.hidden = !this.#next;
    }

    /** Nobody else counts what is deleted. */
    #sayDeleted() {
        if (!this.#showsDeleted) return;
        const items = [...this.#rows.values()].map(({ article }) => article);
        this.#say({ items, next: this.#next ?? undefined }, "");
    }

    async loadMore() {
        if (!this.#next || this.#loading) return;
        this.#loading += 1;
        const cursor = this.#next;
        const signal = this.#running?.signal;
        try {
            const page = await this.#page(cursor, signal);
            if (signal?.aborted) return;
            this.#append(page.items);
            this.#next = page.next ?? null;
            this.more.hidden = !this.#next;
            this.#sayDeleted();
        } catch (error) {
            // The button stays, to try again.
            this.#watcher.unobserve(this.more);
            return sayError(error);
        } finally {
            this.#loading -= 1;
        }
        // Watching anew says whether the end is in sight still, or again: the next page follows then.
        this.#watcher.unobserve(this.more);
        this.#watcher.observe(this.more);
    }

    #clear() {
        this.#rows.clear();
        fill(this.list);
        this.all.checked = false;
        this.bulk.show(0);
    }

    // ---- Rows ----

    /** @param {Article[]} articles */
    #append(articles) {
        const fresh = articles.filter(article => !this.#rows.has(article.id));
        if (!fresh.length) return;
        // A list for each page: the browser skips those that are out of sight as a whole.
        this.list.append(h("ul", { class: "rows" }, fresh.map(article => {
            if (this.#showsDeleted) return this.#appendDeleted(article);
            const box = h("input", {
                type: "checkbox", "aria-label": t("list.choose", { title: article.title }),
                onchange: () => this.#choiceChanged(),
            });
            const row = h("li", { class: "row" });
            this.#rows.set(article.id, { row, article, box });
            this.#renderRow(article.id);
            return row;
        })));
    }

    /** @param {string} id */
    #renderRow(id) {
        const entry = this.#rows.get(id);
        if (!entry) return;
        const { row, article, box } = entry;
        const isDue = article.status === "scheduled" && article.publishedAt;
        fill(row,
            h("label", { class: "row-box" }, box),
            h("a", { class: "row-title", href: printRoute(["articles", id]), dir: "auto" },
                article.title),
            badge(article.status),
            h("p", { class: "row-note" },
                (article.authors ?? []).map((/** @type {any} */ each) => each.name).join(", "),
                h("time", { datetime: article.updatedAt, title: date(article.updatedAt) },
                    isDue ? t("list.due", { when: date(article.publishedAt) })
                        : t("list.edited", { ago: ago(article.updatedAt) })),
                (article.tags ?? []).map((/** @type {any} */ tag) => h("span", { class: "tag" }, tag.name)),
                article.excerpt ? h("span", { class: "excerpt", dir: "auto" },
                    article.excerpt.map((/** @type {any} */ piece) =>
                        piece.match ? h("mark", {}, piece.text) : piece.text)) : null));
    }

    /**
     * @param {string} id
     * @param {Article} article
     */
    #update(id, article) {
        const entry = this.#rows.get(id);
        if (!entry) return;
        entry.article = { ...entry.article, ...article };
        this.#renderRow(id);
    }

    /** @param {string} id */
    #remove(id) {
        const row = this.#rows.get(id)?.row;
        if (!row) return;
        const following = row.nextElementSibling ?? row.previousElementSibling;
        const focused = row.querySelector(":focus");
        row.remove();
        this.#rows.delete(id);
        if (focused) {
            const next = following?.querySelector(focused.localName) ?? this.status;
            /** @type {HTMLElement} */ (next).focus();
        }
        this.#choiceChanged();
        this.#sayDeleted();
    }

    // ---- Choosing ----

    #chosen() {
        return [...this.#rows.values()].filter(({ box }) => box.checked).map(({ article }) => article);
    }

    #choiceChanged() {
        const count = this.#chosen().length;
        for (const { row, box } of this.#rows.values()) row.classList.toggle("chosen", box.checked);
        this.all.checked = count > 0 && count === this.#rows.size;
        this.all.indeterminate = count > 0 && count < this.#rows.size;
        this.bulk.show(count);
    }

    /** @param {boolean} isChosen */
    #chooseAll(isChosen) {
        for (const { box } of this.#rows.values()) box.checked = isChosen;
        this.#choiceChanged();
    }

    // ---- What is not among the articles ----

    /** @param {Article} article */
    #appendDeleted(article) {
        const row = deletedRow(article, () => this.#remove(article.id));
        this.#rows.set(article.id, { row, article, box: h("input", { type: "checkbox" }) });
        return row;
    }

    async #showUnsaved() {
        const kept = await drafts.all(ownerOfDrafts()).catch(() => []);
        fill(this.unsaved, kept.length ? h("section", { class: "unsaved", "aria-label": t("list.unsaved") },
            h("h2", {}, t("list.unsaved")),
            h("ul", {}, kept.map(each => h("li", {},
                h("a", { href: printRoute(["articles", each.key]), dir: "auto" },
                    each.mine.title || t("editor.untitled")),
                " ", h("span", { class: "hint" }, ago(each.time)), " ",
                button(t("list.discard"), async () => {
                    await drafts.remove(each.key);
                    await this.#showUnsaved();
                }, { class: "plain" }))))) : null);
    }
}
