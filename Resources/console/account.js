// One's own account: where one is signed in, and the password.

import { currentSession, request } from "./api.js";
import { badge, button, field, fill, h, newID, say, sayError, setError } from "./dom.js";
import { ago, date, t } from "./i18n.js";

/**
 * @param {HTMLElement} place
 * @returns {Promise<import("./here.js").View>}
 */
export async function showAccount(place) {
    const { kind, name, role, user, expiresAt } = currentSession();
    const list = h("ul", { class: "rows" });
    const isUser = kind === "user";
    fill(place,
        h("header", { class: "page-head" }, h("h1", {}, t("nav.account"))),
        h("p", {}, h("strong", { dir: "auto" }, user?.displayName ?? name ?? ""), " ",
            t(`role.${role}`)),
        isUser ? null : h("p", { class: "hint" },
            t("account.key", { when: expiresAt ? date(expiresAt) : "" })),
        isUser ? [h("h2", {}, t("account.sessions")), list, h("h2", {}, t("account.password")),
            passwordForm()] : null);
    const load = async () => {
        const { items } = await request("GET", "/v1/me/sessions");
        fill(list, items.map((/** @type {any} */ session) => sessionRow(session, async () => {
            await request("DELETE", `/v1/me/sessions/${session.id}`);
            await load();
        })));
    };
    if (isUser) await load();
    return {};
}

/**
 * A session in a list of them.
 * @param {Record<string, any>} session
 * @param {() => Promise<void>} end
 */
export function sessionRow(session, end) {
    const device = session.device || t("account.unnamed");
    return h("li", { class: "row key" },
        h("span", { class: "row-title", dir: "auto" }, device),
        session.isCurrent ? badge("current") : h("span", {}),
        h("p", { class: "row-note" }, session.address,
            h("time", { datetime: session.createdAt }, t("account.since", { when: date(session.createdAt) })),
            h("time", { datetime: session.usedAt }, t("account.used", { ago: ago(session.usedAt) }))),
        session.isCurrent ? null : h("span", { class: "row-action" },
            button(t("account.end"), () => void end().catch(sayError), {
                class: "plain dangerous", "aria-label": t("account.endNamed", { device }),
            })));
}

function passwordForm() {
    const current = h("input", {
        type: "password", id: newID(), autocomplete: "current-password", maxlength: 1000 });
    const password = h("input", {
        type: "password", id: newID(), autocomplete: "new-password", maxlength: 1000 });
    const form = h("form", { class: "stack narrow" }, field(t("account.current"), current),
        field(t("account.new"), password, { hint: t("users.passwordRule") }),
        h("div", {}, h("button", { type: "submit" }, t("account.change"))));
    form.addEventListener("submit", async event => {
        event.preventDefault();
        for (const control of [current, password]) setError(control, "");
        try {
            await request("PUT", "/v1/me/password", {
                body: { current: current.value, password: password.value },
            });
            current.value = password.value = "";
            say(t("account.changed"));
        } catch (error) {
            const problem = /** @type {any} */ (error);
            const fault = problem.errors?.find((/** @type {any} */ each) => each.pointer === "/password");
            if (fault) setError(password, fault.detail);
            else if (problem.status === 403 || problem.status === 422) setError(current, problem.message);
            else sayError(error);
        }
    });
    return form;
}
