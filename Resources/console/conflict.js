// Two versions of an article side by side, of which the person chooses field by field.

import { button, dialog, h, newID } from "./dom.js";
import { date, t } from "./i18n.js";
import { withContext, wordDifference } from "./words.js";

/**
 * @typedef {import("./edits.js").Difference} Difference
 * @typedef {import("./edits.js").Field} Field
 */

/**
 * A field's value as a person reads it.
 * @param {Field} field
 * @param {any} value
 * @returns {string}
 */
export function readable(field, value) {
    if (value === null || value === "" || (Array.isArray(value) && !value.length)) return t("nothing");
    if (field === "status") return t(`status.${value}`);
    if (field === "comments") return t(`policy.${value}`);
    if (field === "publishedAt") return date(value);
    if (field === "tags") return value.join(", ");
    if (field === "authors") {
        return value.map((/** @type {{ name: string }} */ author) => author.name).join(", ");
    }
    if (field === "heroImage") {
        return value.alternativeText ? `${value.url}\n${value.alternativeText}` : value.url;
    }
    return String(value);
}

/**
 * What differs in a text, with marks that are read aloud, too.
 * @param {string} before
 * @param {string} after
 * @param {number} [context] How many characters around a difference are shown; 0 for all.
 */
export function markedDifference(before, after, context = 0) {
    const pieces = wordDifference(before, after);
    return (context ? withContext(pieces, context) : pieces).map(({ kind, text }) => {
        if (kind === "gap") return h("span", { class: "gap" }, " … ");
        if (kind === "same") return text;
        return h(kind === "removed" ? "del" : "ins", {}, text);
    });
}

/**
 * Only what one side has: what it lacks is shown at the other.
 * @param {string} other
 * @param {string} own
 */
function side(other, own) {
    return withContext(wordDifference(other, own).filter(piece => piece.kind !== "removed"), 160)
        .map(({ kind, text }) => kind === "added" ? h("mark", {}, text)
            : kind === "gap" ? h("span", { class: "gap" }, " … ") : text);
}

/**
 * @param {{ theirs: Record<string, any>, differences: Difference[] }} conflict
 * @returns {Promise<Difference[] | null>} With a choice for each; `null` if the person decides later.
 */
export async function chooseVersions(conflict) {
    const choices = conflict.differences.map(difference => ({ ...difference }));
    const heading = t("conflict.title");
    return await dialog(heading, close => {
        const rest = h("p", { class: "hint", role: "status" });
        const save = button(t("conflict.save"), () => close(choices), { class: "primary" });
        const update = () => {
            const open = choices.filter(each => !each.choice).length;
            save.disabled = open > 0;
            rest.textContent = open ? t("conflict.open", { count: open }) : t("conflict.ready");
        };
        const rows = choices.map(each => chooser(each, update));
        const all = (/** @type {"mine" | "theirs"} */ choice) => {
            for (const row of rows) row.choose(choice);
            update();
        };
        update();
        return [
            h("p", {}, t("conflict.text", { when: date(conflict.theirs.updatedAt) })),
            h("div", { class: "actions start" },
                button(t("conflict.allMine"), () => all("mine"), { class: "plain" }),
                button(t("conflict.allTheirs"), () => all("theirs"), { class: "plain" })),
            ...rows.map(row => row.element),
            rest,
            h("div", { class: "actions sticky" },
                button(t("conflict.later"), () => close(null)), save),
        ];
    }, { class: "wide" }) ?? null;
}

/**
 * @param {Difference} difference
 * @param {() => void} changed
 */
function chooser(difference, changed) {
    const name = newID();
    const mine = readable(difference.field, difference.mine);
    const theirs = readable(difference.field, difference.theirs);
    /** @param {"mine" | "theirs"} choice */
    const option = choice => {
        const input = h("input", {
            type: "radio", name, value: choice, checked: difference.choice === choice,
            onchange: () => { difference.choice = choice; changed(); },
        });
        const text = choice === "mine" ? side(theirs, mine) : side(mine, theirs);
        return {
            input,
            element: h("label", { class: "version" },
                h("span", { class: "version-name" }, input, t(`conflict.${choice}`)),
                h("span", { class: "version-text", dir: "auto" }, text)),
        };
    };
    const options = { mine: option("mine"), theirs: option("theirs") };
    return {
        element: h("fieldset", { class: "versions" },
            h("legend", {}, t(`field.${difference.field}`)),
            options.mine.element, options.theirs.element),
        /** @param {"mine" | "theirs"} choice */
        choose(choice) {
            difference.choice = choice;
            options[choice].input.checked = true;
        },
    };
}
