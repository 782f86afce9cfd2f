// Users and invitations.

import { sessionRow } from "./account.js";
import { currentSession, request } from "./api.js";
import { badge, button, dialog, field, fill, h, newID, say, sayError, select, showFaults } from "./dom.js";
import { date, t } from "./i18n.js";
import { roleChoices, showOnce } from "./keys.js";

/** @typedef {Record<string, any>} User */

/**
 * @param {HTMLElement} place
 * @param {import("./routes.js").Route} route
 * @returns {Promise<import("./here.js").View>}
 */
export async function showUsers(place, route) {
    const find = h("input", {
        type: "search", id: newID(), value: route.query.get("name") ?? "", maxlength: 32,
        autocapitalize: "none", spellcheck: "false",
    });
    const count = h("p", { class: "hint", role: "status" });
    const list = h("ul", { class: "rows" });
    const more = button(t("list.more"), () => void load(true).catch(sayError), { hidden: true });
    let next = "";

    /** @param {boolean} isMore */
    async function load(isMore) {
        const page = await request("GET", "/v1/users", {
            query: { limit: 50, cursor: isMore ? next : "", name: find.value.trim() },
        });
        next = page.next ?? "";
        more.hidden = !next;
        if (!isMore) fill(list);
        list.append(...page.items.map(row));
        count.textContent = list.childElementCount ? "" : t("users.nothing");
    }

    /** @param {User} user */
    function row(user) {
        const isSelf = user.id === currentSession().user?.id;
        return h("li", { class: "row key" },
            h("span", { class: "row-title", dir: "auto" }, user.displayName),
            badge(user.disabled ? "disabled" : "enabled"),
            h("p", { class: "row-note" }, h("span", {}, user.name), t(`role.${user.role}`),
                h("span", {}, t("users.since", { when: date(user.createdAt, { dateStyle: "medium" }) })),
                isSelf ? h("span", {}, t("users.you")) : null),
            isSelf ? null : h("span", { class: "row-action" },
                button(t("users.sessions"), () => void showSessions(user), {
                    class: "plain", "aria-label": t("users.sessionsNamed", { name: user.displayName }),
                }),
                button(t("edit"), () => void edit(user), {
                    class: "plain", "aria-label": t("users.editNamed", { name: user.displayName }),
                })));
    }

    /** @param {User} user */
    async function edit(user) {
        const isDone = await dialog(t("users.editNamed", { name: user.displayName }), close => {
            const role = select(roleChoices(), user.role, { id: newID() });
            const displayName = h("input", {
                type: "text", id: newID(), maxlength: 100, value: user.displayName, dir: "auto" });
            const password = h("input", {
                type: "password", id: newID(), maxlength: 1000, autocomplete: "new-password" });
            const disabled = h("input", { type: "checkbox", checked: user.disabled === true });
            const form = h("form", { class: "stack" },
                field(t("users.displayName"), displayName), field(t("field.role"), role),
                field(t("users.newPassword"), password, { hint: t("users.passwordHint") }),
                h("label", { class: "choice" }, disabled, t("users.disable")),
                h("p", { class: "hint" }, t("users.endsSessions")),
                h("div", { class: "actions" },
                    button(t("users.delete"), () => close("delete"), { class: "plain dangerous" }),
                    h("span", { class: "space" }), button(t("cancel"), () => close(false)),
                    h("button", { type: "submit", class: "primary" }, t("save"))));
            form.addEventListener("submit", async event => {
                event.preventDefault();
                /** @type {Record<string, unknown>} */
                const patch = {};
                if (role.value !== user.role) patch.role = role.value;
                if (displayName.value.trim() !== user.displayName) patch.displayName = displayName.value.trim();
                if (disabled.checked !== (user.disabled === true)) patch.disabled = disabled.checked;
                if (password.value) patch.password = password.value;
                if (!Object.keys(patch).length) return close(false);
                try {
                    await request("PATCH", `/v1/users/${user.id}`, { body: patch });
                    close(true);
                } catch (error) {
                    showFaults(error, { "/password": password, "/displayName": displayName });
                }
            });
            return form;
        });
        if (isDone === "delete") return await remove(user);
        if (!isDone) return;
        say(t("users.saved"));
        await load(false).catch(sayError);
    }

    /** @param {User} user */
    async function showSessions(user) {
        const list = h("ul", { class: "rows" });
        const none = h("p", { class: "hint", role: "status" });
        const path = `/v1/users/${user.id}/sessions`;
        const load = async () => {
            const { items } = await request("GET", path);
            none.textContent = items.length ? "" : t("users.noSessions");
            fill(list, items.map((/** @type {any} */ session) => sessionRow(session, async () => {
                try {
                    await request("DELETE", `${path}/${session.id}`);
                } catch (error) {
                    // It has ended meanwhile.
                    if (/** @type {any} */ (error).status !== 404) throw error;
                }
                await load();
                // The button that was pressed has left with its row.
                /** @type {HTMLElement | null} */ (list.closest("dialog")?.querySelector(".primary") ?? null)?.focus();
            })));
        };
        try {
            await load();
        } catch (error) {
            return sayError(error);
        }
        await dialog(t("users.sessionsNamed", { name: user.displayName }), close => [none, list,
            h("div", { class: "actions" }, button(t("close"), () => close(), { class: "primary" }))]);
    }

    /** @param {User} user */
    async function remove(user) {
        const choice = await dialog(t("users.deleteTitle", { name: user.displayName }), close => {
            const comments = h("input", { type: "checkbox" });
            return [h("p", {}, t("users.deleteText")),
                h("label", { class: "choice" }, comments, t("users.deleteComments")),
                h("div", { class: "actions" }, button(t("cancel"), () => close(null)),
                    button(t("users.delete"), () => close({ comments: comments.checked }),
                        { class: "danger" }))];
        });
        if (!choice) return;
        try {
            await request("DELETE", `/v1/users/${user.id}`, {
                query: { comments: choice.comments ? "delete" : "" },
            });
            say(t("users.deleted", { name: user.displayName }));
            await load(false);
        } catch (error) {
            sayError(error);
        }
    }

    async function invite() {
        const invitation = await dialog(t("users.invite"), close => {
            const role = select(roleChoices(), "author", { id: newID() });
            const days = select([["1", t("keys.days", { count: 1 })], ["7", t("keys.days", { count: 7 })],
                ["30", t("keys.days", { count: 30 })]], "7", { id: newID() });
            return [h("div", { class: "stack" }, field(t("field.role"), role),
                field(t("users.validFor"), days)),
            h("div", { class: "actions" }, button(t("cancel"), () => close(null)),
                button(t("create"), async () => {
                    try {
                        close(await request("POST", "/v1/invitations", { body: {
                            role: role.value,
                            expiresAt: new Date(Date.now() + Number(days.value) * 86_400_000).toISOString(),
                        } }));
                    } catch (error) {
                        sayError(error);
                    }
                }, { class: "primary" }))];
        });
        if (!invitation) return;
        await showOnce(t("users.invitation"), invitation.code,
            t("users.invitationHint", { when: date(invitation.expiresAt) }));
    }

    async function create() {
        const isDone = await dialog(t("users.new"), close => {
            const name = h("input", { type: "text", id: newID(), maxlength: 32, autocapitalize: "none",
                spellcheck: "false", autocomplete: "off" });
            const password = h("input", {
                type: "password", id: newID(), maxlength: 1000, autocomplete: "new-password" });
            const role = select(roleChoices(), "author", { id: newID() });
            const form = h("form", { class: "stack" }, field(t("signIn.name"), name),
                field(t("signIn.password"), password, { hint: t("users.passwordRule") }),
                field(t("field.role"), role),
                h("div", { class: "actions" }, button(t("cancel"), () => close(false)),
                    h("button", { type: "submit", class: "primary" }, t("create"))));
            form.addEventListener("submit", async event => {
                event.preventDefault();
                try {
                    await request("POST", "/v1/users", { body: {
                        name: name.value.trim(), password: password.value, role: role.value,
                    } });
                    close(true);
                } catch (error) {
                    showFaults(error, { "/name": name, "/password": password });
                }
            });
            return form;
        });
        if (isDone) await load(false).catch(sayError);
    }

    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    find.addEventListener("input", () => {
        clearTimeout(timer);
        // A name has at least three characters.
        timer = setTimeout(() => {
            const length = [...find.value.trim()].length;
            if (length === 0 || length >= 3) void load(false).catch(sayError);
        }, 250);
    });
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.users")),
        button(t("users.invite"), () => void invite()),
        button(t("users.new"), () => void create(), { class: "primary" })),
    h("div", { class: "filters" }, field(t("users.find"), find)), count, list,
    h("div", { class: "center" }, more));
    await load(false);
    return { close: () => clearTimeout(timer) };
}
