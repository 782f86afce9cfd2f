// How the page looks and in which language it speaks, remembered in the browser.

import { button, dialog, field, h, newID, select } from "./dom.js";
import { currentLanguage, languages, t, useLanguage } from "./i18n.js";

const KEY = "broadsheet.preferences";

/** @returns {{ language: string, theme: string, direction: string }} */
function load() {
    const browser = navigator.language.split("-")[0];
    const standard = { language: browser, theme: "system", direction: "ltr" };
    try {
        return { ...standard, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
    } catch {
        return standard;
    }
}

export function applyPreferences() {
    const { language, theme, direction } = load();
    useLanguage(language);
    const root = document.documentElement;
    root.lang = currentLanguage();
    root.dir = direction === "rtl" ? "rtl" : "ltr";
    root.dataset.theme = ["light", "dark"].includes(theme) ? theme : "system";
}

/** @returns {Promise<boolean>} Whether something has changed. */
export async function askPreferences() {
    const former = load();
    return await dialog(t("preferences"), close => {
        const language = select(languages(), currentLanguage(), { id: newID() });
        const theme = select([["system", t("theme.system")], ["light", t("theme.light")],
            ["dark", t("theme.dark")]], former.theme, { id: newID() });
        const direction = select([["ltr", t("direction.ltr")], ["rtl", t("direction.rtl")]],
            former.direction, { id: newID() });
        const save = () => {
            try {
                localStorage.setItem(KEY, JSON.stringify({
                    language: language.value, theme: theme.value, direction: direction.value,
                }));
            } catch { /* It holds until the page is closed. */ }
            applyPreferences();
            close(true);
        };
        return [
            h("div", { class: "stack" }, field(t("preferences.language"), language),
                field(t("preferences.theme"), theme), field(t("preferences.direction"), direction)),
            h("div", { class: "actions" }, button(t("cancel"), () => close(false)),
                button(t("save"), save, { class: "primary" })),
        ];
    }) === true;
}
