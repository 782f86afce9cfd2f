// How far an edit has come, in words, and what the person can do about it.

import { Problem } from "./api.js";
import { button, explained, fill, h } from "./dom.js";
import { date, t } from "./i18n.js";
import { printRoute } from "./routes.js";

/** @typedef {import("./article-edit.js").ArticleEdit} ArticleEdit */

/**
 * @param {ArticleEdit} edit
 * @returns {string}
 */
function stateText({ state, savedAt, id }) {
    if (state !== "saved") return t(`state.${state}`);
    if (savedAt) return t("state.savedAt", { time: date(savedAt, { timeStyle: "short" }) });
    return id ? t("state.saved") : "";
}

/**
 * @param {ArticleEdit} edit
 * @param {() => void} choose Lets the person choose between two versions.
 * @param {(problem: Problem) => void} mark Marks the fields that a problem names.
 */
export function stateParts(edit, choose, mark) {
    const line = h("span", { class: "save-state", role: "status" });
    const note = h("div", { class: "editor-note", hidden: true });
    /** What the note says: it is made anew only when that changes, so that a focus in it stays. */
    let shown = "";

    function noteParts() {
        switch (edit.state) {
            case "conflict":
                return [h("span", {}, t("conflict.note")),
                    button(t("conflict.choose"), choose, { class: "primary" })];
            case "gone":
                return [h("span", {}, t("gone.note")),
                    h("a", { class: "button", href: printRoute(["articles", edit.id ?? "", "history"]) },
                        t("history")),
                    button(t("gone.saveAsNew"), () => void edit.saveAsNew(), { class: "primary" })];
            case "rejected":
                return [h("span", {}, t("rejected.note", { reason: explained(edit.fault) })),
                    button(t("again"), () => void edit.save())];
            default:
                return [];
        }
    }

    return {
        line, note,
        render() {
            const text = stateText(edit);
            if (line.textContent !== text) line.textContent = text;
            line.dataset.state = edit.state;
            const parts = noteParts();
            const next = parts.map(part => part.textContent).join("|");
            if (next === shown) return;
            shown = next;
            note.hidden = !parts.length;
            fill(note, parts);
            if (edit.state === "rejected" && edit.fault instanceof Problem) mark(edit.fault);
        },
    };
}
