// A button that shows a few more actions.

import { fill, h, iconButton, newID } from "./dom.js";

/**
 * @typedef {{ label: string, act?: () => unknown, href?: string, isDangerous?: boolean }} Item
 */

/**
 * @param {string} label
 * @param {string} iconName
 * @param {() => Item[]} items Asked each time.
 */
export function menu(label, iconName, items) {
    const listID = newID();
    const list = h("ul", { class: "menu", id: listID, hidden: true });
    const opener = iconButton(label, iconName, () => setOpen(list.hidden), {
        "aria-expanded": "false", "aria-controls": listID,
    });
    const element = h("div", { class: "menu-place" }, opener, list);

    /** @param {boolean} isOpen */
    function setOpen(isOpen) {
        if (isOpen) {
            fill(list, items().map(item => h("li", {}, item.href
                ? h("a", { href: item.href, onclick: () => setOpen(false) }, item.label)
                : h("button", {
                    type: "button", class: item.isDangerous ? "dangerous" : null,
                    onclick: () => {
                        setOpen(false);
                        opener.focus();
                        void item.act?.();
                    },
                }, item.label))));
        }
        list.hidden = !isOpen;
        opener.setAttribute("aria-expanded", String(isOpen));
        if (isOpen) /** @type {HTMLElement | null} */ (list.querySelector("a, button"))?.focus();
    }
    element.addEventListener("keydown", event => {
        if (list.hidden) return;
        if (event.key === "Escape") {
            event.stopPropagation();
            setOpen(false);
            opener.focus();
        }
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (!step) return;
        event.preventDefault();
        const all = [...list.querySelectorAll("a, button")];
        const index = all.indexOf(/** @type {Element} */ (document.activeElement));
        /** @type {HTMLElement} */ (all[(index + step + all.length) % all.length]).focus();
    });
    element.addEventListener("focusout", event => {
        const next = /** @type {Node | null} */ (event.relatedTarget);
        if (!list.hidden && !element.contains(next)) setOpen(false);
    });
    return { element };
}
