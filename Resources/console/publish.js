// When an article is published: now, or at a time in some time zone.

import { button, dialog, field, h, newID, select, setError } from "./dom.js";
import { ago, date, t } from "./i18n.js";
import { clockIn, instantOf, timeZones } from "./zones.js";

/**
 * @param {{ status: string, publishedAt: string | null }} content
 * @returns {Promise<{ status: string, publishedAt: string | null } | null>}
 */
export async function askWhen(content) {
    const zones = timeZones();
    const isScheduled = content.status === "scheduled" && !!content.publishedAt;
    const start = isScheduled && content.publishedAt ? new Date(content.publishedAt)
        : new Date(Math.ceil(Date.now() / 3_600_000 + 1) * 3_600_000);
    return await dialog(t("publish.title"), close => {
        const clock = clockIn(zones[0], start);
        const day = h("input", { type: "date", id: newID(), value: clock.date, required: true });
        const time = h("input", { type: "time", id: newID(), value: clock.time, required: true });
        const zone = select(zones.map(name => [name, name.replaceAll("_", " ")]), zones[0],
            { id: newID() });
        const note = h("p", { class: "hint", role: "status" });
        const when = h("div", { class: "when", hidden: !isScheduled },
            field(t("publish.day"), day), field(t("publish.time"), time),
            field(t("publish.zone"), zone), note);
        const name = newID();
        const radio = (/** @type {string} */ value, /** @type {string} */ label) => h("label",
            { class: "choice" },
            h("input", {
                type: "radio", name, value, checked: (value === "at") === isScheduled,
                onchange: () => update(),
            }), label);
        const now = radio("now", t("publish.now"));
        const later = radio("at", t("publish.at"));
        const action = button("", () => finish(), { class: "primary" });
        const isLater = () => /** @type {HTMLInputElement} */ (later.firstElementChild).checked;
        const chosen = () => instantOf(zone.value, day.value, time.value);
        function update() {
            when.hidden = !isLater();
            /** @type {HTMLElement} */ (action.lastElementChild).textContent
                = isLater() ? t("publish.schedule") : t("publish.publish");
            const instant = chosen();
            setError(day, "");
            note.textContent = isLater() && instant
                ? t("publish.means", { when: date(instant), ago: ago(instant) }) : "";
        }
        function finish() {
            if (!isLater()) return close({ status: "published", publishedAt: null });
            const instant = chosen();
            if (!instant) return setError(day, t("publish.invalid"));
            if (instant.getTime() <= Date.now()) return setError(day, t("publish.past"));
            close({ status: "scheduled", publishedAt: instant.toISOString() });
        }
        for (const control of [day, time, zone]) control.addEventListener("input", update);
        update();
        return [
            h("fieldset", { class: "plain-set" },
                h("legend", { class: "unseen" }, t("publish.title")), now, later),
            when,
            h("div", { class: "actions" }, button(t("cancel"), () => close(null)), action),
        ];
    }) ?? null;
}
