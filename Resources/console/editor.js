// The editor: writing with a preview beside it, details, saving, publishing.

import { onConnection, request } from "./api.js";
import { ArticleEdit } from "./article-edit.js";
import { chooseVersions } from "./conflict.js";
import { detailsPanel } from "./details.js";
import {
    badge, button, confirmed, fill, h, icon, iconButton, say, sayError, setError,
} from "./dom.js";
import { drafts } from "./drafts.js";
import { nameRoute } from "./here.js";
import { stateParts } from "./editor-state.js";
import { date, t } from "./i18n.js";
import { markSelection } from "./marks.js";
import { menu } from "./menu.js";
import { previewPane } from "./preview.js";
import { askWhen } from "./publish.js";
import { printRoute } from "./routes.js";
import { backend, ownerOfDrafts, surroundings } from "./saving.js";

/**
 * @typedef {import("./article-edit.js").Kept} Kept
 * @typedef {import("./edits.js").Field} Field
 * @typedef {import("./here.js").View} View
 */

/**
 * @param {HTMLElement} place
 * @param {string} id The article's, or the name of a new one.
 * @param {boolean} isNew
 * @returns {Promise<View>}
 */
export async function showEditor(place, id, isNew) {
    const article = isNew ? null : await backend.fetch(id);
    const kept = await drafts.get(article?.id ?? id).catch(() => undefined);
    const view = new EditorView(place, article, id);
    view.start(kept?.owner === ownerOfDrafts() ? kept : undefined);
    return view;
}

class EditorView {
    /** @type {(() => void)[]} */
    #ends = [];
    #isChoosing = false;

    /**
     * @param {HTMLElement} place
     * @param {Record<string, any> | null} article
     * @param {string} key
     */
    constructor(place, article, key) {
        this.place = place;
        this.edit = new ArticleEdit(surroundings(() => this.render()), article, key);
        this.title = this.#textArea("title", { rows: 1, maxlength: 300, class: "title" });
        this.summary = this.#textArea("summary", { rows: 1, maxlength: 2000, class: "summary" });
        this.body = this.#textArea("body", { class: "body", spellcheck: "true" });
        this.preview = previewPane();
        this.details = detailsPanel(this.edit, field => this.#typed(field));
        this.state = stateParts(this.edit, () => void this.choose(), problem => this.#mark(problem));
        this.badge = h("span", {});
        this.undo = iconButton(t("undo"), "undo", () => this.takeBack(false));
        this.redo = iconButton(t("redo"), "redo", () => this.takeBack(true));
        this.primary = button("", () => void this.act(), { class: "primary" });
        this.previewButton = iconButton(t("editor.preview"), "preview", () => this.toggle("preview"));
        this.detailsButton = iconButton(t("editor.details"), "details", () => this.toggle("details"));
        this.more = menu(t("more"), "more", () => this.#moreItems());
        this.area = h("div", { class: "editor-area" });
    }

    /**
     * @param {"title" | "summary" | "body"} field
     * @param {Record<string, any>} attributes
     */
    #textArea(field, attributes) {
        const area = h("textarea", {
            id: `edit-${field}`, "aria-label": t(`field.${field}`), placeholder: t(`placeholder.${field}`),
            dir: "auto", "aria-describedby": `edit-${field}-error`, ...attributes,
        });
        area.addEventListener("input", () => {
            // A line break has no place in a title.
            if (field === "title" && area.value.includes("\n")) area.value = area.value.replace(/\s*\n\s*/g, " ");
            this.edit.set(field, area.value);
            this.#typed(field);
        });
        return area;
    }

    /** @param {Field} field */
    #typed(field) {
        setError(this.title, "");
        if (field === "body") this.preview.show(this.edit.mine.body);
        if (field === "title" || field === "summary") this.#grow();
    }

    /** Fields of few lines are as high as their text; the body has a scroll bar of its own. */
    #grow() {
        for (const area of [this.title, this.summary]) {
            area.style.height = "auto";
            area.style.height = `${area.scrollHeight}px`;
        }
    }

    /** @param {Kept | undefined} kept */
    start(kept) {
        fill(this.place,
            h("div", { class: "editor-bar" },
                h("a", { class: "icon-button", href: "#/articles", "aria-label": t("editor.back"),
                    title: t("editor.back") }, icon("back")),
                this.badge, this.state.line,
                h("span", { class: "space" }),
                this.undo, this.redo, this.previewButton, this.detailsButton, this.more.element,
                this.primary),
            this.state.note, this.area);
        fill(this.area,
            h("div", { class: "writing" },
                h("h1", { class: "unseen" }, t("editor.title")),
                this.title, h("p", { class: "field-error", id: "edit-title-error", hidden: true }),
                this.summary, h("p", { class: "field-error", id: "edit-summary-error", hidden: true }),
                this.body, h("p", { class: "field-error", id: "edit-body-error", hidden: true })),
            this.preview.element, this.details.element);
        const isWide = matchMedia("(min-width: 70rem)").matches;
        this.#setShown("preview", isWide);
        this.#setShown("details", false);
        if (kept && this.edit.resume(kept)) {
            say(t("editor.resumed", { when: date(kept.time) }));
        }
        this.showContent();
        this.render();
        this.#listen();
        if (!this.edit.id) this.title.dataset.focus = "";
    }

    shown() {
        this.#grow();
        if (this.edit.conflict) void this.choose();
    }

    #listen() {
        const keep = () => { if (document.visibilityState === "hidden") void this.edit.keep(); };
        const ask = (/** @type {BeforeUnloadEvent} */ event) => {
            void this.edit.keep();
            if (!this.edit.isDirty) return;
            event.preventDefault();
            event.returnValue = "";
        };
        const keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
        const leave = () => void this.edit.keep();
        document.addEventListener("visibilitychange", keep);
        addEventListener("pagehide", leave);
        addEventListener("beforeunload", ask);
        this.place.addEventListener("keydown", keys);
        // A new article is created with its title as it is when the person goes on.
        this.title.addEventListener("blur", () => {
            if (this.edit.state === "changed" && !this.edit.id) void this.edit.save();
        });
        this.#ends.push(
            () => document.removeEventListener("visibilitychange", keep),
            () => removeEventListener("pagehide", leave),
            () => removeEventListener("beforeunload", ask),
            () => this.place.removeEventListener("keydown", keys),
            onConnection(isOnline => {
                if (isOnline && this.edit.state === "offline" && this.edit.isAutosaved) void this.edit.save();
                this.render();
            }));
    }

    /** @param {KeyboardEvent} event */
    #key(event) {
        if (!(event.ctrlKey || event.metaKey) || event.isComposing) return;
        const key = event.key.toLowerCase();
        if (key === "s") {
            event.preventDefault();
            void this.saveNow();
        } else if (key === "z" || key === "y") {
            event.preventDefault();
            this.takeBack(key === "y" || event.shiftKey);
        } else if (event.target === this.body && (key === "b" || key === "i" || key === "k")) {
            event.preventDefault();
            markSelection(this.body, key);
            this.edit.set("body", this.body.value);
            this.#typed("body");
        }
    }

    /** @param {boolean} isForward */
    takeBack(isForward) {
        const step = isForward ? this.edit.redo() : this.edit.undo();
        if (!step) return;
        const areas = { title: this.title, summary: this.summary, body: this.body };
        const area = step.field in areas ? areas[/** @type {keyof typeof areas} */ (step.field)] : null;
        if (area && step.splice) {
            const { at, removed, inserted } = step.splice;
            area.setRangeText(inserted, at, at + removed.length, "end");
            area.focus();
        }
        this.showContent();
        this.#typed(step.field);
    }

    /** Shows the edit in the fields, without moving the cursor of one that has it already. */
    showContent() {
        const { mine } = this.edit;
        if (this.title.value !== mine.title) this.title.value = mine.title;
        if (this.summary.value !== mine.summary) this.summary.value = mine.summary;
        if (this.body.value !== mine.body) this.body.value = mine.body;
        this.details.show();
        this.preview.show(mine.body);
        this.#grow();
    }

    /** @param {"preview" | "details"} pane */
    toggle(pane) {
        this.#setShown(pane, !this.area.classList.contains(`with-${pane}`));
    }

    /**
     * @param {"preview" | "details"} pane
     * @param {boolean} isShown
     */
    #setShown(pane, isShown) {
        this.area.classList.toggle(`with-${pane}`, isShown);
        const toggle = pane === "preview" ? this.previewButton : this.detailsButton;
        toggle.setAttribute("aria-pressed", String(isShown));
        this[pane].element.hidden = !isShown;
        if (pane === "preview") this.preview.setActive(isShown, this.edit.mine.body);
        const other = pane === "preview" ? "details" : "preview";
        // There is room for one beside the text, and on small screens instead of it.
        if (isShown && !matchMedia("(min-width: 90rem)").matches
            && this.area.classList.contains(`with-${other}`)) this.#setShown(other, false);
    }

    // ---- Saving ----

    async saveNow() {
        if (!this.edit.mine.title.trim()) {
            setError(this.title, t("editor.needsTitle"));
            this.title.focus();
            return false;
        }
        return await this.edit.save();
    }

    /** What the main button does: publish, schedule or update. */
    async act() {
        if (this.primary.getAttribute("aria-disabled") === "true") return;
        if (!this.edit.mine.title.trim()) return void await this.saveNow();
        const { status } = this.edit.base;
        if (status === "published" && this.edit.isDirty) {
            if (await this.edit.save()) say(t("editor.updated"));
            return;
        }
        if (status === "published") return;
        await this.publish();
    }

    async publish() {
        const choice = await askWhen(this.edit.mine);
        if (!choice) return;
        const former = this.edit.mine.publishedAt;
        // What was public before keeps its time.
        if (choice.status === "published" && former && Date.parse(former) <= Date.now()) {
            choice.publishedAt = former;
        }
        const done = await this.edit.save(choice);
        if (done) {
            say(choice.status === "published" ? t("editor.published")
                : t("editor.scheduled", { when: date(choice.publishedAt ?? 0) }));
        }
    }

    /** @param {"draft" | "archived"} status */
    async #setStatus(status) {
        if (await this.edit.save({ status, ...(status === "draft" && this.edit.base.status === "scheduled"
            ? { publishedAt: null } : {}) })) {
            say(t(`editor.now.${status}`));
        }
    }

    async #delete() {
        const { id, version, mine } = this.edit;
        if (!id || !await confirmed(t("delete.title"), t("delete.text", { title: mine.title }),
            t("delete"), { isDangerous: true })) return;
        try {
            await request("DELETE", `/v1/articles/${id}`, { headers: { "If-Match": `"${version}"` } });
            await this.edit.discard();
            say(t("delete.done", { title: mine.title }), {
                action: [t("history"), () => { location.hash = printRoute(["articles", id, "history"]); }],
            });
            location.hash = "#/articles";
        } catch (error) {
            sayError(error);
        }
    }

    #moreItems() {
        const { id, base, isDirty } = this.edit;
        /** @type {import("./menu.js").Item[]} */
        const items = [];
        if (id) items.push({ label: t("history"), href: printRoute(["articles", id, "history"]) });
        if (base.status === "scheduled") items.push({ label: t("editor.reschedule"), act: () => this.publish() });
        if (id && base.status !== "draft") {
            items.push({ label: t("editor.unpublish"), act: () => this.#setStatus("draft") });
        }
        if (id && base.status !== "archived") {
            items.push({ label: t("archive"), act: () => this.#setStatus("archived") });
        }
        if (isDirty && id) {
            items.push({
                label: t("editor.discard"),
                act: async () => {
                    await this.edit.discard();
                    this.showContent();
                },
            });
        }
        if (id) items.push({ label: t("delete"), act: () => this.#delete(), isDangerous: true });
        return items;
    }

    /** Lets the person choose between two versions. */
    async choose() {
        if (this.#isChoosing || !this.edit.conflict) return;
        this.#isChoosing = true;
        const choices = await chooseVersions(this.edit.conflict);
        this.#isChoosing = false;
        if (choices) {
            const isSaved = await this.edit.resolve(choices);
            if (isSaved) say(t("conflict.saved"));
            this.showContent();
        }
        this.render();
    }

    // ---- What the page says ----

    render() {
        const { edit } = this;
        const { status } = edit.base;
        fill(this.badge, badge(status));
        this.undo.disabled = !edit.history.canUndo;
        this.redo.disabled = !edit.history.canRedo;
        this.state.render();
        const label = status === "published" ? t("editor.update")
            : status === "scheduled" && edit.isDirty ? t("editor.update") : t("editor.publish");
        /** @type {HTMLElement} */ (this.primary.lastElementChild).textContent = label;
        // Not `disabled`: that would take the focus away from who has just pressed it.
        const isIdle = edit.state === "saving" || edit.state === "conflict"
            || edit.state === "gone" || (status === "published" && !edit.isDirty);
        this.primary.setAttribute("aria-disabled", String(isIdle));
        document.title = `${edit.mine.title || t("editor.untitled")} – Broadsheet`;
        if (edit.state === "saved" && edit.id) {
            const route = printRoute(["articles", edit.id]);
            if (location.hash.startsWith("#/articles/new")) nameRoute(route);
            this.details.show();
        }
        if (edit.state === "conflict") void this.choose();
        if (edit.state === "saved" && document.activeElement !== this.body) this.#showServerText();
    }

    /** The server puts text into Unicode's composed form: shown once nobody types there. */
    #showServerText() {
        const { mine } = this.edit;
        if (this.title.value !== mine.title && document.activeElement !== this.title) {
            this.title.value = mine.title;
        }
        if (this.body.value.length !== mine.body.length) this.body.value = mine.body;
    }

    /** @param {import("./api.js").Problem} problem */
    #mark(problem) {
        for (const { pointer = "", detail } of problem.errors) {
            const area = { "/title": this.title, "/summary": this.summary, "/body": this.body }[pointer];
            if (area) setError(area, detail);
            else this.details.fault(pointer, detail);
        }
    }

    // ---- Leaving ----

    /** @returns {Promise<boolean>} Whether the page may be left. */
    async mayLeave() {
        const { edit } = this;
        if (!edit.isDirty) return true;
        if (edit.isAutosaved && edit.state !== "conflict" && edit.mine.title.trim() && await edit.save()) {
            return true;
        }
        if (!edit.isDirty) return true;
        await edit.keep();
        return await confirmed(t("leave.title"), t("leave.text"), t("leave.leave"));
    }

    close() {
        for (const end of this.#ends) end();
        this.preview.close();
        void this.edit.close();
    }
}
