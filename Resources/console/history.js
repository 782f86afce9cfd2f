// Undo and redo over all fields of an article, bounded. A step keeps what was replaced in a text, not
// the text: a history of an article of 2 MB is as small as its edits.

import { isSame } from "./edits.js";

/**
 * @typedef {import("./edits.js").Content} Content
 * @typedef {import("./edits.js").Field} Field
 * @typedef {{ at: number, removed: string, inserted: string }} Splice
 * @typedef {{ field: Field, value: any, splice?: Splice }} Change
 * @typedef {{ field: Field, splice?: Splice, before?: unknown, after?: unknown, time: number }} Step
 */

/** Keystrokes in one field that follow each other within this time are one step. */
const PAUSE_MILLISECONDS = 1000;
const LIMIT_STEPS = 1000;
const LIMIT_CHARACTERS = 8_000_000;

/**
 * The one replacement that makes `after` out of `before`.
 * @param {string} before
 * @param {string} after
 * @returns {Splice}
 */
export function spliceBetween(before, after) {
    const shorter = Math.min(before.length, after.length);
    let start = commonStart(before, after, shorter);
    // A pair of surrogates is not taken apart.
    if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start -= 1;
    let end = 0;
    while (
        end < shorter - start
        && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
    ) end += 1;
    if (end > 0 && isLowSurrogate(before.charCodeAt(before.length - end))) end -= 1;
    return {
        at: start,
        removed: before.slice(start, before.length - end),
        inserted: after.slice(start, after.length - end),
    };
}

/**
 * The length of the common start, by comparing pieces: engines compare strings faster than a loop does.
 * @param {string} a
 * @param {string} b
 * @param {number} limit
 */
function commonStart(a, b, limit) {
    let start = 0;
    for (let piece = 4096; piece >= 1; piece = piece >> 4) {
        while (start + piece <= limit && a.slice(start, start + piece) === b.slice(start, start + piece)) {
            start += piece;
        }
    }
    return start;
}

/** @param {number} unit */
const isHighSurrogate = unit => unit >= 0xd800 && unit < 0xdc00;
/** @param {number} unit */
const isLowSurrogate = unit => unit >= 0xdc00 && unit < 0xe000;

export class EditHistory {
    /** @type {Step[]} */
    #done = [];
    /** @type {Step[]} */
    #undone = [];
    #characters = 0;

    get canUndo() { return this.#done.length > 0; }
    get canRedo() { return this.#undone.length > 0; }

    /**
     * Records that a field was changed.
     * @param {Field} field
     * @param {unknown} before
     * @param {unknown} after
     * @param {number} time In milliseconds.
     */
    record(field, before, after, time) {
        if (isSame(before, after)) return;
        this.#undone = [];
        if (typeof before !== "string" || typeof after !== "string") {
            this.#push({ field, before, after, time });
            return;
        }
        const splice = spliceBetween(before, after);
        const last = this.#done[this.#done.length - 1];
        if (last && last.splice && last.field === field && time - last.time < PAUSE_MILLISECONDS) {
            const joined = joinedSplices(last.splice, splice);
            if (joined) {
                this.#characters += size({ ...last, splice: joined }) - size(last);
                last.splice = joined;
                last.time = time;
                return;
            }
        }
        this.#push({ field, splice, time });
    }

    /**
     * The step that is to be taken back, and its field's value then.
     * @param {Content} content
     * @returns {Change | null}
     */
    undo(content) {
        const step = this.#done.pop();
        if (!step) return null;
        this.#characters -= size(step);
        this.#undone.push(step);
        if (!step.splice) return { field: step.field, value: step.before };
        const { at, removed, inserted } = step.splice;
        return replaced(step.field, content, { at, removed: inserted, inserted: removed });
    }

    /**
     * @param {Content} content
     * @returns {Change | null}
     */
    redo(content) {
        const step = this.#undone.pop();
        if (!step) return null;
        this.#push(step);
        if (!step.splice) return { field: step.field, value: step.after };
        return replaced(step.field, content, step.splice);
    }

    /** Forgets everything, as when another version takes the place of the edited one. */
    clear() {
        this.#done = [];
        this.#undone = [];
        this.#characters = 0;
    }

    /** @param {Step} step */
    #push(step) {
        this.#done.push(step);
        this.#characters += size(step);
        while (this.#done.length > LIMIT_STEPS
            || (this.#characters > LIMIT_CHARACTERS && this.#done.length > 1)) {
            const oldest = this.#done.shift();
            if (oldest) this.#characters -= size(oldest);
        }
    }
}

/**
 * @param {Field} field
 * @param {Content} content
 * @param {Splice} splice
 */
function replaced(field, content, splice) {
    const text = String(content[field]);
    const value = text.slice(0, splice.at) + splice.inserted
        + text.slice(splice.at + splice.removed.length);
    return { field, value, splice };
}

/** @param {Step} step */
function size(step) {
    if (step.splice) return step.splice.removed.length + step.splice.inserted.length;
    return JSON.stringify([step.before, step.after]).length;
}

/**
 * Two replacements as one, where the second continues the first: typing on, or deleting backwards.
 * @param {Splice} first
 * @param {Splice} second
 * @returns {Splice | null}
 */
function joinedSplices(first, second) {
    const end = first.at + first.inserted.length;
    if (!second.removed && second.at === end) {
        // A new line begins a new step, so that undo takes back paragraphs, not pages.
        if (first.inserted.endsWith("\n")) return null;
        return { ...first, inserted: first.inserted + second.inserted };
    }
    if (second.at >= first.at && second.at + second.removed.length === end) {
        const kept = first.inserted.slice(0, second.at - first.at);
        return { ...first, inserted: kept + second.inserted };
    }
    if (!first.inserted && !second.inserted && second.at + second.removed.length === first.at) {
        return { at: second.at, removed: second.removed + first.removed, inserted: "" };
    }
    return null;
}
