// API keys: made here, shown once, revoked.

import { request } from "./api.js";
import { badge, button, confirmed, dialog, field, fill, h, newID, say, sayError, select, setError }
    from "./dom.js";
import { date, t } from "./i18n.js";

const ROLES = ["reader", "author", "editor", "admin"];

/** @returns {[string, string][]} */
export const roleChoices = () => ROLES.map(role => [role, t(`role.${role}`)]);

/**
 * A new key. The server gets its digest only.
 * @returns {Promise<{ id: string, key: string, digest: string }>}
 */
export async function newKey() {
    const hex = (/** @type {Uint8Array} */ data) =>
        [...data].map(byte => byte.toString(16).padStart(2, "0")).join("");
    const id = hex(crypto.getRandomValues(new Uint8Array(8)));
    const secret = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const key = `bsk_${id}_${secret}`;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
    return { id, key, digest: hex(new Uint8Array(digest)) };
}

/**
 * Shows a secret that nobody can see again.
 * @param {string} title
 * @param {string} secret
 * @param {string} hint
 */
export async function showOnce(title, secret, hint) {
    await dialog(title, close => {
        const input = h("input", { type: "text", id: newID(), readonly: true, class: "secret", value: secret });
        return [
            field(t("once.label"), input, { hint }),
            h("div", { class: "actions" },
                button(t("once.copy"), async () => {
                    input.select();
                    await navigator.clipboard.writeText(secret).then(() => say(t("once.copied")), () => undefined);
                }),
                button(t("once.done"), () => close(), { class: "primary" })),
        ];
    }, { isForced: true });
}

/**
 * @param {HTMLElement} place
 * @returns {Promise<import("./here.js").View>}
 */
export async function showKeys(place) {
    const list = h("ul", { class: "rows" });
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.keys")),
        button(t("keys.new"), () => void create(), { class: "primary" })), list);
    const empty = h("p", { class: "empty" }, t("keys.nothing"));
    place.append(empty);
    const load = async () => {
        const { keys } = await request("GET", "/v1/admin/keys");
        const isOver = (/** @type {any} */ key) =>
            key.revokedAt || (key.expiresAt && Date.parse(key.expiresAt) <= Date.now());
        keys.sort((/** @type {any} */ a, /** @type {any} */ b) =>
            Number(!!isOver(a)) - Number(!!isOver(b)) || b.createdAt.localeCompare(a.createdAt));
        empty.hidden = keys.length > 0;
        fill(list, keys.map((/** @type {any} */ key) => h("li", { class: "row key" },
            h("span", { class: "row-title", dir: "auto" }, key.name),
            badge(key.revokedAt ? "revoked" : isOver(key) ? "over" : "valid"),
            h("p", { class: "row-note" }, t(`role.${key.role}`), h("code", {}, key.id),
                h("span", {}, t("keys.created", { when: date(key.createdAt, { dateStyle: "medium" }) })),
                key.expiresAt ? h("span", {}, t("keys.expires", { when: date(key.expiresAt) })) : null),
            isOver(key) ? null : h("span", { class: "row-action" },
                button(t("keys.revoke"), () => void revoke(key), {
                    class: "plain dangerous", "aria-label": t("keys.revokeNamed", { name: key.name }),
                })))));
    };

    async function create() {
        const made = await dialog(t("keys.new"), close => {
            const name = h("input", { type: "text", id: newID(), maxlength: 100, dir: "auto" });
            const role = select(roleChoices(), "editor", { id: newID() });
            const days = select([["", t("keys.never")], ["30", t("keys.days", { count: 30 })],
                ["90", t("keys.days", { count: 90 })], ["365", t("keys.days", { count: 365 })]], "",
            { id: newID() });
            const form = h("form", { class: "stack" }, field(t("keys.name"), name),
                field(t("field.role"), role), field(t("keys.expiry"), days),
                h("div", { class: "actions" }, button(t("cancel"), () => close(null)),
                    h("button", { type: "submit", class: "primary" }, t("create"))));
            form.addEventListener("submit", async event => {
                event.preventDefault();
                if (!name.value.trim()) return setError(name, t("keys.needsName"));
                try {
                    const { id, key, digest } = await newKey();
                    await request("POST", "/v1/admin/keys", { body: {
                        id, digest, name: name.value.trim(), role: role.value,
                        ...(days.value ? { expiresAt:
                            new Date(Date.now() + Number(days.value) * 86_400_000).toISOString() } : {}),
                    } });
                    close(key);
                } catch (error) {
                    sayError(error);
                }
            });
            return form;
        });
        if (!made) return;
        await showOnce(t("keys.made"), made, t("keys.once"));
        await load().catch(sayError);
    }

    /** @param {Record<string, any>} key */
    async function revoke(key) {
        if (!await confirmed(t("keys.revokeTitle", { name: key.name }), t("keys.revokeText"),
            t("keys.revoke"), { isDangerous: true })) return;
        try {
            await request("POST", `/v1/admin/keys/${key.id}/revocation`);
            say(t("keys.revoked", { name: key.name }));
            await load();
        } catch (error) {
            sayError(error);
        }
    }

    await load();
    return {};
}
