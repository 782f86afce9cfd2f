// Feeds and other Broadsheets whose articles are taken over.

import { request } from "./api.js";
import { chipField } from "./chips.js";
import { badge, button, confirmed, dialog, field, fill, h, newID, say, sayError, select, setError, showFaults }
    from "./dom.js";
import { ago, date, t } from "./i18n.js";
import { completions, tags } from "./known.js";

/** @typedef {Record<string, any>} Source */

/** Polls happen on the server: how they went is looked at this often. */
const EVERY_MILLISECONDS = 5000;
const PAGE = 100;

/** @param {Source} source */
export const sourceName = source => source.name ?? source.title ?? source.url;

/** @param {Source} source A word for how it is. */
export function sourceState(source) {
    if (source.paused) return "paused";
    if (source.failures) return "failing";
    return source.lastSucceededAt ? "followed" : "pending";
}

/**
 * @param {HTMLElement} place
 * @returns {Promise<import("./here.js").View>}
 */
export async function showSources(place) {
    const list = h("ul", { class: "rows" });
    const empty = h("p", { class: "hint", role: "status" });
    const more = button(t("list.more"), () => {
        pages += 1;
        void load().catch(sayError);
    }, { hidden: true });
    /** @type {Map<string, { row: HTMLElement, text: string }>} */
    let rows = new Map();
    let pages = 1;
    let turn = 0;

    async function load() {
        const mine = ++turn;
        /** @type {Source[]} */
        const sources = [];
        let cursor = "";
        for (let count = 0; count < pages; count += 1) {
            const page = await request("GET", "/v1/sources", { query: { limit: PAGE, cursor } });
            sources.push(...page.items);
            cursor = page.next ?? "";
            if (!cursor) break;
        }
        if (mine !== turn) return;
        more.hidden = !cursor;
        empty.textContent = sources.length ? "" : t("sources.nothing");
        rows = new Map(sources.map(source => [source.id, shown(source)]));
        const wanted = [...rows.values()].map(({ row }) => row);
        // Rows that stay are not touched, and keep the focus.
        for (const row of [...list.children]) if (!wanted.includes(/** @type {any} */ (row))) row.remove();
        wanted.forEach((row, index) => {
            if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
        });
    }

    /** @param {Source} source */
    function shown(source) {
        const text = JSON.stringify(source);
        const entry = rows.get(source.id) ?? { row: h("li", { class: "row key" }), text: "" };
        if (entry.text === text) return entry;
        const { row } = entry;
        const controls = () => /** @type {HTMLElement[]} */ ([...row.querySelectorAll("button")]);
        const focused = controls().indexOf(/** @type {HTMLElement} */ (document.activeElement));
        fill(row, ...parts(source));
        if (focused >= 0) controls()[focused]?.focus();
        return { row, text };
    }

    /** @param {Source} source */
    function parts(source) {
        const name = sourceName(source);
        const { lastPolledAt, nextPollAt, skippedCount } = source;
        return [
            h("span", { class: "row-title", dir: "auto" }, name),
            badge(sourceState(source)),
            h("div", { class: "row-note" },
                name === source.url ? null : h("code", { dir: "ltr" }, source.url),
                source.kind ? h("span", {}, t(`sources.kind.${source.kind}`)) : null,
                h("span", {}, t("sources.articles", { count: source.articleCount })),
                h("span", {}, t(source.publish ? "sources.publishes" : "sources.drafts")),
                lastPolledAt ? h("time", { datetime: lastPolledAt, title: date(lastPolledAt) },
                    t("sources.polled", { ago: ago(lastPolledAt) })) : null,
                nextPollAt ? h("time", { datetime: nextPollAt },
                    t("sources.next", { when: date(nextPollAt) })) : null,
                source.movedTo ? h("span", {}, t("sources.moved", { url: source.movedTo })) : null,
                source.lastError ? h("p", { class: "field-error", dir: "auto" },
                    t("sources.error", { reason: source.lastError, count: source.failures })) : null,
                skippedCount ? h("p", { class: "field-error", dir: "auto" },
                    t("sources.skipped", { count: skippedCount, reason: source.skippedReason ?? "" })) : null),
            h("span", { class: "row-action" },
                button(t("sources.poll"), () => void poll(source), {
                    class: "plain", "aria-label": t("sources.pollNamed", { name }),
                }),
                button(t("edit"), () => void edit(source), {
                    class: "plain", "aria-label": t("sources.editNamed", { name }),
                })),
        ];
    }

    /** @param {Source} source */
    async function poll(source) {
        try {
            await request("POST", `/v1/sources/${source.id}/poll`);
            say(t("sources.polling", { name: sourceName(source) }));
            await load();
        } catch (error) {
            sayError(error);
        }
    }

    /** @param {Source | null} source `null` for a new one. */
    async function edit(source) {
        const title = source ? t("sources.editNamed", { name: sourceName(source) }) : t("sources.new");
        const outcome = await dialog(title, close => sourceForm(source, close));
        if (outcome === "remove" && source) return await remove(source);
        if (outcome) {
            say(t("users.saved"));
            await load().catch(sayError);
        }
    }

    /** @param {Source} source */
    async function remove(source) {
        const name = sourceName(source);
        if (!await confirmed(t("sources.removeTitle", { name }), t("sources.removeText"),
            t("sources.remove"), { isDangerous: true })) return;
        try {
            await request("DELETE", `/v1/sources/${source.id}`);
            say(t("sources.removed", { name }));
            await load();
        } catch (error) {
            sayError(error);
        }
    }

    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.sources")),
        button(t("sources.new"), () => void edit(null), { class: "primary" })),
    h("p", { class: "hint" }, t("sources.hint")), empty, list, h("div", { class: "center" }, more));
    await load();
    const timer = setInterval(() => {
        const isIdle = document.visibilityState === "visible" && !document.querySelector("dialog[open]");
        if (isIdle) void load().catch(() => undefined);
    }, EVERY_MILLISECONDS);
    return {
        close() {
            clearInterval(timer);
            turn += 1;
        },
    };
}

/**
 * @param {Source | null} source
 * @param {(outcome?: any) => void} close
 */
function sourceForm(source, close) {
    const url = h("input", { type: "url", id: newID(), value: source?.url ?? "", maxlength: 2000,
        autocomplete: "off", spellcheck: "false", dir: "ltr" });
    const name = h("input", { type: "text", id: newID(), value: source?.name ?? "", maxlength: 200, dir: "auto" });
    const language = h("input", { type: "text", id: newID(), value: source?.language ?? "", maxlength: 35,
        autocapitalize: "none", spellcheck: "false" });
    const interval = select([["", t("sources.default")],
        ...[[900, 15, "minute"], [3600, 1, "hour"], [21_600, 6, "hour"], [86_400, 1, "day"]].map(
            ([seconds, count, unit]) => /** @type {[string, string]} */ ([String(seconds),
                t(`sources.every.${unit}`, { count: Number(count) })])),
        ...custom(source?.intervalSeconds)], String(source?.intervalSeconds ?? ""), { id: newID() });
    const publish = h("input", { type: "checkbox", checked: source?.publish === true });
    const paused = h("input", { type: "checkbox", checked: source?.paused === true });
    let labels = /** @type {string[]} */ (source?.tags ?? []);
    const form = h("form", { class: "stack" },
        field(t("sources.url"), url, { hint: t("sources.urlHint") }),
        field(t("sources.name"), name, { hint: t("sources.nameHint") }),
        chipField({ label: t("field.tags"), values: labels, limit: 10,
            changed: values => { labels = values; },
            complete: typed => completions(tags(), typed) }).element,
        field(t("field.language"), language, { hint: t("sources.languageHint") }),
        field(t("sources.interval"), interval),
        h("label", { class: "choice" }, publish, t("sources.publish")),
        h("label", { class: "choice" }, paused, t("sources.pause")),
        h("div", { class: "actions" },
            source ? button(t("sources.remove"), () => close("remove"), { class: "plain dangerous" }) : null,
            h("span", { class: "space" }), button(t("cancel"), () => close(false)),
            h("button", { type: "submit", class: "primary" }, t(source ? "save" : "create"))));
    form.addEventListener("submit", async event => {
        event.preventDefault();
        if (!url.value.trim()) return setError(url, t("sources.needsURL"));
        const body = {
            url: url.value.trim(), name: name.value.trim() || null, language: language.value.trim() || null,
            tags: labels, publish: publish.checked, paused: paused.checked,
            intervalSeconds: interval.value ? Number(interval.value) : null,
        };
        try {
            if (source) {
                await request("PATCH", `/v1/sources/${source.id}`, {
                    body, headers: source.version ? { "If-Match": `"${source.version}"` } : {},
                });
            } else {
                const given = Object.entries(body).filter(([, value]) => value !== null);
                await request("POST", "/v1/sources", {
                    body: Object.fromEntries(given), headers: { "Idempotency-Key": crypto.randomUUID() },
                });
            }
            close(true);
        } catch (error) {
            showFaults(error, { "/url": url, "/name": name, "/language": language,
                "/intervalSeconds": interval });
        }
    });
    return form;
}

/**
 * An interval that somebody chose elsewhere.
 * @param {number | undefined} seconds
 * @returns {[string, string][]}
 */
function custom(seconds) {
    if (!seconds || [900, 3600, 21_600, 86_400].includes(seconds)) return [];
    return [[String(seconds), t("sources.every.second", { count: seconds })]];
}
