// A list of words that one types, such as tags, completed from those that exist.

import { fill, h, iconButton, newID } from "./dom.js";
import { t } from "./i18n.js";

/**
 * @param {object} options
 * @param {string} options.label
 * @param {string[]} options.values
 * @param {(values: string[]) => void} options.changed
 * @param {(typed: string) => Promise<string[]>} options.complete
 * @param {number} [options.limit]
 */
export function chipField({ label, values, changed, complete, limit = 50 }) {
    let current = [...values];
    const listID = newID();
    const suggestions = h("datalist", { id: listID });
    const input = h("input", {
        type: "text", id: newID(), list: listID, autocomplete: "off", maxlength: 200,
        placeholder: t("chips.add"), dir: "auto",
    });
    const chips = h("ul", { class: "chips", "aria-label": label });

    const render = () => {
        fill(chips, current.map((value, index) => h("li", { class: "chip" },
            h("span", { dir: "auto" }, value),
            iconButton(t("chips.remove", { name: value }), "cross", () => {
                current = current.filter((_, place) => place !== index);
                render();
                changed(current);
                input.focus();
            }))));
        chips.hidden = !current.length;
    };
    const add = () => {
        const typed = input.value.split(",").map(each => each.trim()).filter(Boolean);
        input.value = "";
        const lower = new Set(current.map(each => each.toLowerCase()));
        const fresh = typed.filter(each => !lower.has(each.toLowerCase()));
        if (!fresh.length) return;
        current = [...current, ...fresh].slice(0, limit);
        render();
        changed(current);
    };
    input.addEventListener("keydown", event => {
        if (event.isComposing) return;
        if (event.key === "Enter") {
            event.preventDefault();
            add();
        } else if (event.key === "Backspace" && !input.value && current.length) {
            current = current.slice(0, -1);
            render();
            changed(current);
        }
    });
    input.addEventListener("input", async event => {
        const isChosen = /** @type {InputEvent} */ (event).inputType === "insertReplacementText";
        if (isChosen || input.value.includes(",")) return add();
        const typed = input.value.trim();
        const found = await complete(typed);
        if (typed !== input.value.trim()) return;
        fill(suggestions, found.slice(0, 20).map(value => h("option", { value })));
    });
    input.addEventListener("change", add);
    render();
    return {
        element: h("div", { class: "field" },
            h("label", { for: input.id }, label), chips, input, suggestions),
        /** @param {string[]} next */
        show(next) {
            current = [...next];
            render();
        },
    };
}
