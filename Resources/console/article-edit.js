// One article while it is edited: what the server has, what the person has made of it, and how the
// second becomes the first. No browser is needed; the page, the server and the clock are passed in.

import {
    changedFields, compare, contentOf, draftOf, emptyContent, isSame, merged, patchBetween,
} from "./edits.js";
import { EditHistory } from "./history.js";

/**
 * @typedef {import("./edits.js").Content} Content
 * @typedef {import("./edits.js").Field} Field
 * @typedef {import("./edits.js").Difference} Difference
 * @typedef {Record<string, any>} Article
 * @typedef {object} Backend
 * @property {(draft: object, key: string) => Promise<Article>} create
 * @property {(id: string, patch: object, version: string, key: string) => Promise<Article>} update
 * @property {(id: string) => Promise<Article>} fetch
 * @typedef {object} Kept What is kept on this device of text that the server does not have yet.
 * @property {string} key The article's id, or a name for one that has none yet.
 * @property {string} owner Whose it is.
 * @property {string | null} id
 * @property {string | null} version
 * @property {Content} base
 * @property {Content} mine
 * @property {number} time
 * @typedef {object} Keeper
 * @property {(kept: Kept) => Promise<void>} put
 * @property {(key: string) => Promise<void>} remove
 * @typedef {object} Surroundings
 * @property {Backend} backend
 * @property {Keeper} keeper
 * @property {string} owner
 * @property {() => number} now In milliseconds.
 * @property {(milliseconds: number, action: () => void) => () => void} after Returns what cancels it.
 * @property {() => string} uuid
 * @property {() => void} changed Called when anything has changed.
 * @typedef {"saved" | "changed" | "saving" | "kept" | "untitled" | "offline" | "conflict" | "rejected"
 *     | "gone"} State
 */

const AUTOSAVE_MILLISECONDS = 1500;
const AUTOSAVE_OF_LARGE_MILLISECONDS = 6000;
const RETRY_MILLISECONDS = 5000;
const CREATE_MILLISECONDS = 3000;
const KEEP_MILLISECONDS = 250;
const LARGE_CHARACTERS = 200_000;

export class ArticleEdit {
    /** @type {State} */
    state = "saved";
    /** @type {any} Why the server rejected the last save. */
    fault = null;
    /** @type {{ theirs: Article, differences: Difference[] } | null} */
    conflict = null;
    /** @type {number | null} */
    savedAt = null;
    history = new EditHistory();

    /** @type {Surroundings} */
    #around;
    /** @type {Promise<boolean> | null} */
    #saving = null;
    /** @type {{ text: string, key: string } | null} The last request, which may be repeated. */
    #attempt = null;
    /** @type {(() => void) | null} */
    #cancelSave = null;
    /** @type {(() => void) | null} */
    #cancelKeep = null;
    #isClosed = false;

    /**
     * @param {Surroundings} around
     * @param {Article | null} article `null` for a new one.
     * @param {string} key What text is kept under until the article has an id.
     */
    constructor(around, article, key) {
        this.#around = around;
        /** @type {string | null} */
        this.id = article?.id ?? null;
        /** @type {string | null} */
        this.version = article?.version ?? null;
        /** @type {Article | null} */
        this.article = article;
        this.base = article ? contentOf(article) : emptyContent();
        this.mine = { ...this.base };
        this.key = article?.id ?? key;
    }

    /** Whether there is something that the server does not have. */
    get isDirty() { return changedFields(this.base, this.mine).length > 0; }

    /** Only drafts are saved while one types: what is public changes when the person says so. */
    get isAutosaved() { return this.base.status === "draft"; }

    /**
     * Goes on with text that was kept on this device.
     * @param {Kept} kept
     * @returns {boolean} Whether it differs from what the server has.
     */
    resume(kept) {
        if (!changedFields(this.base, kept.mine).length) return false;
        this.mine = { ...kept.mine };
        if (kept.id && kept.version !== this.version && this.article) {
            const theirs = this.article;
            this.base = kept.base;
            this.#meet(theirs);
            return true;
        }
        this.#afterChange();
        return true;
    }

    /**
     * @param {Field} field
     * @param {any} value
     */
    set(field, value) {
        if (isSame(this.mine[field], value)) return;
        this.history.record(field, this.mine[field], value, this.#around.now());
        this.mine = { ...this.mine, [field]: value };
        this.#afterChange();
    }

    undo() { return this.#apply(this.history.undo(this.mine)); }
    redo() { return this.#apply(this.history.redo(this.mine)); }

    /** @param {import("./history.js").Change | null} step */
    #apply(step) {
        if (!step) return null;
        this.mine = { ...this.mine, [step.field]: step.value };
        this.#afterChange();
        return step;
    }

    #afterChange() {
        this.fault = null;
        if (this.state !== "conflict" && this.state !== "gone" && this.state !== "saving") {
            this.state = this.isDirty ? this.#unsavedState() : "saved";
        }
        this.#keepSoon();
        this.#saveSoon();
        this.#around.changed();
    }

    /** @returns {State} */
    #unsavedState() {
        if (!this.mine.title.trim()) return "untitled";
        if (!this.isAutosaved) return "kept";
        return this.state === "offline" ? "offline" : "changed";
    }

    #saveSoon() {
        this.#cancelSave?.();
        this.#cancelSave = null;
        if (this.state !== "changed" && this.state !== "offline") return;
        const pause = !this.id ? CREATE_MILLISECONDS
            : this.mine.body.length > LARGE_CHARACTERS ? AUTOSAVE_OF_LARGE_MILLISECONDS
            : AUTOSAVE_MILLISECONDS;
        this.#cancelSave = this.#around.after(pause, () => void this.save());
    }

    #keepSoon() {
        if (this.#cancelKeep) return;
        this.#cancelKeep = this.#around.after(KEEP_MILLISECONDS, () => void this.keep());
    }

    /** Keeps the text on this device now. */
    async keep() {
        this.#cancelKeep?.();
        this.#cancelKeep = null;
        if (this.#isClosed) return;
        if (!this.isDirty) return await this.#around.keeper.remove(this.key);
        await this.#around.keeper.put({
            key: this.key, owner: this.#around.owner, id: this.id, version: this.version,
            base: this.base, mine: this.mine, time: this.#around.now(),
        });
    }

    /**
     * Sends what has changed, with further changes (such as a status), which are part of the edit only
     * once the server has taken them.
     * @param {Partial<Content>} [further]
     * @returns {Promise<boolean>} Whether the server has it.
     */
    async save(further = {}) {
        this.#cancelSave?.();
        this.#cancelSave = null;
        while (this.#saving) await this.#saving;
        if (this.#isClosed || this.state === "conflict" || this.state === "gone") return false;
        const wanted = { ...this.mine, ...further };
        if (!wanted.title.trim()) {
            this.state = this.isDirty ? "untitled" : "saved";
            this.#around.changed();
            return false;
        }
        const request = this.id ? patchBetween(this.base, wanted) : draftOf(wanted);
        if (!request) {
            this.state = "saved";
            await this.keep();
            this.#around.changed();
            return true;
        }
        this.#saving = this.#send(request, wanted).finally(() => { this.#saving = null; });
        return await this.#saving;
    }

    /**
     * @param {Record<string, unknown>} request
     * @param {Content} wanted
     */
    async #send(request, wanted) {
        const { backend } = this.#around;
        this.state = "saving";
        this.#around.changed();
        // The same request with the same key is performed once, even if its response was lost.
        const text = JSON.stringify([this.id, this.version, request]);
        if (this.#attempt?.text !== text) this.#attempt = { text, key: this.#around.uuid() };
        const sent = this.mine;
        try {
            const article = this.id && this.version
                ? await backend.update(this.id, request, this.version, this.#attempt.key)
                : await backend.create(request, this.#attempt.key);
            await this.#accept(article, sent, wanted);
            return true;
        } catch (error) {
            await this.#fail(error, wanted);
            return false;
        } finally {
            this.#around.changed();
        }
    }

    /**
     * @param {Article} article
     * @param {Content} sent What the edit was when the request began.
     * @param {Content} wanted What was sent.
     */
    async #accept(article, sent, wanted) {
        const formerKey = this.key;
        this.article = article;
        this.id = article.id;
        this.version = article.version;
        this.base = contentOf(article);
        this.key = article.id;
        this.#attempt = null;
        this.savedAt = this.#around.now();
        /** @type {Record<string, unknown>} */
        const mine = { ...this.base };
        // What was typed meanwhile stays; the rest becomes what the server made of it.
        for (const field of changedFields(sent, this.mine)) mine[field] = this.mine[field];
        this.mine = /** @type {Content} */ (/** @type {unknown} */ (mine));
        void wanted;
        if (formerKey !== this.key) await this.#around.keeper.remove(formerKey);
        this.state = this.isDirty ? this.#afterSaveState() : "saved";
        await this.keep();
        this.#saveSoon();
    }

    /** @returns {State} */
    #afterSaveState() {
        this.state = "changed";
        return this.#unsavedState();
    }

    /**
     * @param {any} error
     * @param {Content} wanted
     */
    async #fail(error, wanted) {
        if (error?.status === 412 && this.id) return await this.#fetchTheirs(this.id, wanted);
        if (error?.status === 404 && this.id) {
            this.state = "gone";
        } else if (error?.isOffline || error?.status >= 500 || error?.status === 429
            || error?.type?.endsWith("/request-in-flight")) {
            this.state = "offline";
            this.#retryLater();
        } else {
            this.fault = error;
            this.state = "rejected";
        }
        await this.keep();
    }

    /** What could not be saved is sent again, also if the person types nothing more. */
    #retryLater() {
        if (this.isAutosaved) {
            this.#cancelSave = this.#around.after(RETRY_MILLISECONDS, () => void this.save());
        }
    }

    /**
     * @param {string} id
     * @param {Content} wanted
     */
    async #fetchTheirs(id, wanted) {
        try {
            const theirs = await this.#around.backend.fetch(id);
            // The response to an earlier attempt was lost: what is there is what was sent.
            if (!changedFields(contentOf(theirs), wanted).length) {
                return await this.#accept(theirs, this.mine, wanted);
            }
            this.#meet(theirs);
        } catch (error) {
            this.state = /** @type {any} */ (error)?.status === 404 ? "gone" : "offline";
            if (this.state === "offline") this.#retryLater();
        }
        await this.keep();
    }

    /** @param {Article} theirs */
    #meet(theirs) {
        const differences = compare(this.base, this.mine, contentOf(theirs));
        this.conflict = { theirs, differences };
        this.state = "conflict";
        this.#around.changed();
    }

    /**
     * Ends a conflict with what the person has chosen for each field.
     * @param {Difference[]} differences
     */
    async resolve(differences) {
        if (!this.conflict) return false;
        const { theirs } = this.conflict;
        const content = contentOf(theirs);
        for (const { field } of differences) {
            const value = merged(content, differences)[field];
            this.history.record(field, this.mine[field], value, 0);
        }
        this.mine = merged(content, differences);
        this.base = content;
        this.version = theirs.version;
        this.article = theirs;
        this.conflict = null;
        this.state = "changed";
        return await this.save();
    }

    /** Gives up what the server does not have. */
    async discard() {
        for (const field of changedFields(this.mine, this.base)) {
            this.history.record(field, this.mine[field], this.base[field], 0);
        }
        this.mine = { ...this.base };
        this.state = "saved";
        await this.keep();
        this.#around.changed();
    }

    /** After the article was deleted by somebody else: what is here becomes a new one. */
    async saveAsNew() {
        const formerKey = this.key;
        this.id = this.version = this.article = null;
        this.base = emptyContent();
        this.mine = { ...this.mine, slug: "", status: "draft", publishedAt: null };
        this.key = `new-${this.#around.uuid()}`;
        this.state = "changed";
        await this.#around.keeper.remove(formerKey);
        return await this.save();
    }

    /** Ends the timers. What is unsaved stays on this device. */
    async close() {
        await this.keep();
        this.#isClosed = true;
        this.#cancelSave?.();
        this.#cancelKeep?.();
    }
}
