// Elements, dialogs, messages. Text becomes text here, never HTML; the one exception is what the
// server has rendered, which passes the page's only Trusted Types policy into a shadow tree.

import { SignedOut } from "./api.js";
import { t } from "./i18n.js";

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Makes an element. `on…` adds a listener; `true` sets an attribute without a value; `null`, `undefined`
 * and `false` leave one out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    setAttributes(element, attributes);
    element.append(...kept(children));
    return element;
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    setAttributes(element, attributes);
    element.append(...kept(children));
    return element;
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
function setAttributes(element, attributes) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key === "value" || key === "checked" || key === "indeterminate") {
            /** @type {any} */ (element)[key] = value;
        } else element.setAttribute(key, value === true ? "" : String(value));
    }
}

/** @param {(Child | Child[])[]} children */
function kept(children) {
    return /** @type {(Node | string)[]} */ (
        children.flat().filter(child => child !== null && child !== undefined && child !== false));
}

/**
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
    element.replaceChildren(...kept(children));
}

let names = 0;
/** A name for an element that labels another. */
export const newID = () => `i${++names}`;

// ---- Icons: paths of a 20 × 20 grid ----

/** @type {Record<string, string>} */
const ICONS = {
    articles: "M4 4h12M4 8h12M4 12h8M4 16h8",
    sources: "M4 15.5h.01M4 10a6 6 0 0 1 6 6M4 4a12 12 0 0 1 12 12",
    due: "M4 5h12v11H4zM4 9h12M7 3v4M13 3v4",
    comments: "M4 4h12v9H9l-4 3v-3H4z",
    activity: "M2 10h4l2-5 4 10 2-5h4",
    status: "M4 16V9M8 16V5M12 16v-5M16 16V7",
    keys: "M12 8a3 3 0 1 1-1 2.2L5 16H3v-2l.5-.5M11 10",
    users: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-3 3-5 6-5s6 2 6 5",
    transfer: "M10 3v9M6 8l4 4 4-4M4 16h12",
    account: "M4 10a6 6 0 1 0 12 0 6 6 0 1 0-12 0M10 7v3l2 2",
    menu: "M3 5h14M3 10h14M3 15h14",
    undo: "M7 5 3 9l4 4M3 9h9a4 4 0 0 1 0 8h-2",
    redo: "m13 5 4 4-4 4M17 9H8a4 4 0 0 0 0 8h2",
    back: "M12 4l-6 6 6 6",
    plus: "M10 4v12M4 10h12",
    search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 17 17",
    cross: "M5 5l10 10M15 5 5 15",
    preview: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    details: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
    history: "M4 10a6 6 0 1 0 2-4.5L4 7M4 3v4h4M10 7v3l2 2",
    more: "M4 10h.01M10 10h.01M16 10h.01",
    settings: "M4 6h7M15 6h1M4 14h1M9 14h7M13 4v4M7 12v4",
};

/** @param {string} name */
export function icon(name) {
    return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true", focusable: "false" },
        svg("path", { d: ICONS[name] ?? "" }));
}

// ---- Parts ----

/**
 * A labelled control, with a hint and a place for what is wrong with it.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {{ hint?: string, isLabelHidden?: boolean }} [options]
 */
export function field(label, control, options = {}) {
    control.id ||= newID();
    const notes = [];
    if (options.hint) notes.push(h("p", { class: "hint", id: `${control.id}-hint` }, options.hint));
    const error = h("p", { class: "field-error", id: `${control.id}-error`, hidden: true });
    control.setAttribute("aria-describedby",
        `${control.id}-error${options.hint ? ` ${control.id}-hint` : ""}`);
    return h("div", { class: "field" },
        h("label", { for: control.id, class: options.isLabelHidden ? "unseen" : null }, label),
        control, notes, error);
}

/**
 * Says what is wrong with a control; an empty text takes it back.
 * @param {HTMLElement} control
 * @param {string} text
 */
export function setError(control, text) {
    const error = document.getElementById(`${control.id}-error`);
    if (!error) return;
    error.textContent = text;
    error.hidden = !text;
    if (text) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
}

/**
 * @param {string} label
 * @param {(event: MouseEvent) => void} action
 * @param {Record<string, any>} [attributes]
 * @param {string} [iconName]
 */
export function button(label, action, attributes = {}, iconName) {
    return h("button", { type: "button", onclick: action, ...attributes },
        iconName ? icon(iconName) : null, h("span", {}, label));
}

/**
 * A button that shows an icon only.
 * @param {string} label
 * @param {string} iconName
 * @param {(event: MouseEvent) => void} action
 * @param {Record<string, any>} [attributes]
 */
export function iconButton(label, iconName, action, attributes = {}) {
    return h("button", {
        type: "button", class: "icon-button", "aria-label": label, title: label, onclick: action,
        ...attributes,
    }, icon(iconName));
}

/** @param {string} status Of an article, comment or something else that has a colour and a word. */
export function badge(status) {
    return h("span", { class: `badge badge-${status}` }, t(`status.${status}`));
}

/**
 * @param {[value: string, label: string][]} choices
 * @param {string} value
 * @param {Record<string, any>} [attributes]
 */
export function select(choices, value, attributes = {}) {
    const element = h("select", attributes,
        choices.map(([each, label]) => h("option", { value: each }, label)));
    element.value = value;
    return element;
}

/**
 * A modal dialog, which takes the focus and gives it back.
 * @param {string} title
 * @param {(close: (value?: any) => void) => (Child | Child[])} content
 * @param {{ class?: string, isForced?: boolean }} [options] A forced one cannot be closed by Escape.
 * @returns {Promise<any>} What it was closed with.
 */
export function dialog(title, content, options = {}) {
    return new Promise(resolve => {
        const heading = newID();
        const former = document.activeElement;
        const element = h("dialog", { "aria-labelledby": heading, class: options.class });
        /** @type {any} */
        let value;
        const close = (/** @type {any} */ result) => {
            value = result;
            element.close();
        };
        element.append(...kept([
            h("h2", { id: heading }, title), /** @type {any} */ (content(close))].flat()));
        element.addEventListener("cancel", event => { if (options.isForced) event.preventDefault(); });
        element.addEventListener("close", () => {
            element.remove();
            if (former instanceof HTMLElement && former.isConnected) former.focus();
            resolve(value);
        });
        document.body.append(element);
        element.showModal();
    });
}

/**
 * Asks whether to do something.
 * @param {string} title
 * @param {string} text
 * @param {string} action
 * @param {{ isDangerous?: boolean }} [options]
 * @returns {Promise<boolean>}
 */
export async function confirmed(title, text, action, options = {}) {
    return await dialog(title, close => [
        h("p", {}, text),
        h("div", { class: "actions" },
            button(t("cancel"), () => close(false)),
            button(action, () => close(true), { class: options.isDangerous ? "danger" : "primary" })),
    ]) === true;
}

// ---- Messages ----

/**
 * Says something in passing, to eyes and screen readers.
 * @param {string} text
 * @param {{ isError?: boolean, action?: [label: string, act: () => void] }} [options]
 */
export function say(text, options = {}) {
    const place = document.getElementById(options.isError ? "errors" : "messages");
    if (!place) return;
    const message = h("div", { class: options.isError ? "message error" : "message" },
        h("span", {}, text));
    const remove = () => message.remove();
    if (options.action) {
        const [label, act] = options.action;
        message.append(button(label, () => { remove(); act(); }, { class: "plain" }));
    }
    message.append(iconButton(t("close"), "cross", remove));
    place.append(message);
    while (place.children.length > 3) place.firstElementChild?.remove();
    // What can be acted on, and what went wrong, stays until it is closed.
    if (!options.isError && !options.action) setTimeout(remove, 6000);
}

export function forgetMessages() {
    for (const id of ["messages", "errors"]) document.getElementById(id)?.replaceChildren();
}

/** @param {unknown} error */
export function sayError(error) {
    if (error instanceof SignedOut || /** @type {any} */ (error)?.name === "AbortError") return;
    say(explained(error), { isError: true });
}

/** @param {any} error */
export function explained(error) {
    if (error?.isOffline) return t("error.offline");
    if (error?.status === 403) return `${t("error.forbidden")} ${error.message}`;
    if (error?.errors?.length) {
        return error.errors.map((/** @type {any} */ each) =>
            `${each.pointer ?? each.parameter ?? each.header ?? ""} ${each.detail}`.trim()).join(" · ");
    }
    return error?.message || String(error);
}

/**
 * Says at each control what was wrong with it; the rest in passing.
 * @param {any} error
 * @param {Record<string, HTMLElement>} controls By pointer.
 */
export function showFaults(error, controls) {
    let isShown = false;
    for (const [pointer, control] of Object.entries(controls)) {
        const fault = error?.errors?.find((/** @type {any} */ each) => each.pointer === pointer);
        setError(control, fault ? fault.detail : "");
        isShown ||= !!fault;
    }
    if (!isShown) sayError(error);
}

// ---- What the server has rendered ----

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("broadsheet", {
    createHTML: (/** @type {string} */ html) => html,
});

/**
 * A place for HTML that the server's renderer has made of Markdown: a shadow tree with styles of its own.
 * Links open in another tab.
 * @param {string} label
 */
export function renderedPlace(label) {
    const host = h("div", { class: "rendered", role: "region", "aria-label": label, tabindex: "0" });
    const root = host.attachShadow({ mode: "open" });
    const content = document.createElement("div");
    content.setAttribute("dir", "auto");
    content.className = "content";
    root.append(
        Object.assign(document.createElement("link"), {
            rel: "stylesheet", href: new URL("preview.css", import.meta.url).href,
        }), content);
    root.addEventListener("click", event => {
        const link = /** @type {Element} */ (event.target).closest?.("a");
        if (!link) return;
        event.preventDefault();
        const href = link.getAttribute("href") ?? "";
        if (/^https?:/.test(link.protocol) && !href.startsWith("#")) {
            window.open(link.href, "_blank", "noopener,noreferrer");
        }
    });
    return {
        host,
        /** @param {string} html */
        show(html) {
            content.innerHTML = policy ? policy.createHTML(html) : html;
        },
    };
}
