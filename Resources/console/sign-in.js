// Signing in, at the beginning and when a session has ended in the middle of something.

import { SignedOut, currentSession, signIn } from "./api.js";
import { button, dialog, explained, field, h, newID } from "./dom.js";
import { t } from "./i18n.js";

/**
 * @param {() => void} done
 * @param {string} [fault] What to say at first.
 */
export function signInForm(done, fault = "") {
    let isKey = false;
    const name = h("input", {
        type: "text", id: newID(), autocomplete: "username", autocapitalize: "none", spellcheck: "false",
        maxlength: 100, required: true,
    });
    const password = h("input", {
        type: "password", id: newID(), autocomplete: "current-password", maxlength: 1000, required: true,
    });
    const key = h("input", {
        type: "password", id: newID(), autocomplete: "off", maxlength: 300, required: true,
    });
    const error = h("p", { class: "field-error", role: "alert" }, fault);
    const account = h("div", { class: "stack" },
        field(t("signIn.name"), name), field(t("signIn.password"), password));
    const byKey = h("div", { class: "stack", hidden: true },
        field(t("signIn.key"), key, { hint: t("signIn.keyHint") }));
    const submit = h("button", { type: "submit", class: "primary wide" }, t("signIn.action"));
    const other = button(t("signIn.useKey"), () => choose(!isKey), { class: "plain" });

    /** @param {boolean} value */
    function choose(value) {
        isKey = value;
        account.hidden = isKey;
        byKey.hidden = !isKey;
        // A field that is hidden must not stop the form.
        name.disabled = password.disabled = isKey;
        key.disabled = !isKey;
        /** @type {HTMLElement} */ (other.lastElementChild).textContent
            = t(isKey ? "signIn.useAccount" : "signIn.useKey");
        (isKey ? key : name).focus();
    }
    key.disabled = true;

    const element = h("form", { class: "sign-in stack" },
        h("h1", { class: "brand" }, "Broadsheet"), account, byKey, error, submit, other);
    element.addEventListener("submit", async event => {
        event.preventDefault();
        error.textContent = "";
        submit.disabled = true;
        try {
            await signIn(isKey ? { key: key.value.trim() }
                : { name: name.value.trim(), password: password.value });
            password.value = key.value = "";
            done();
        } catch (problem) {
            error.textContent = /** @type {any} */ (problem).status === 401
                ? t(isKey ? "signIn.wrongKey" : "signIn.wrong") : explained(problem);
            (isKey ? key : password).select();
        } finally {
            submit.disabled = false;
        }
    });
    return { element, focus: () => (isKey ? key : name).focus(), name, choose };
}

/**
 * Asks the person to sign in again over what is on the page, which stays as it is.
 * @param {() => void} leave
 * @param {() => void} begin Shows the page anew, where somebody else has signed in.
 */
export async function askToSignIn(leave, begin) {
    const { kind, user, name, role } = currentSession();
    const isBack = await dialog(t("expired.title"), close => {
        const form = signInForm(() => close(true));
        if (user?.name) form.name.value = user.name;
        if (kind === "key") queueMicrotask(() => form.choose(true));
        form.element.querySelector("h1")?.remove();
        return [
            h("p", {}, t("expired.text")), form.element,
            h("div", { class: "actions" },
                button(t("signOut"), () => close(false), { class: "plain" })),
        ];
    }, { isForced: true });
    const now = currentSession();
    if (isBack && now.user?.id === user?.id && now.name === name && now.role === role) return;
    // What one person has begun is not sent in the name of another.
    if (isBack) begin();
    else leave();
    throw new SignedOut(t("expired.left"));
}
