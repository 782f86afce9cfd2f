// How the server does: the last hour as plots, the database, certificates, webhooks, findings.

import { request } from "./api.js";
import { badge, button, fill, h, sayError } from "./dom.js";
import { ago, bytes, date, number, t } from "./i18n.js";
import { plot } from "./plots.js";

const EVERY_MILLISECONDS = 5000;
const SAMPLES = 240;

/**
 * @param {HTMLElement} place
 * @returns {Promise<import("./here.js").View>}
 */
export async function showStatus(place) {
    const plots = h("div", { class: "plots" });
    const facts = h("div", { class: "cards" });
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.status"))),
        h("h2", {}, t("health.lastHour")), plots, facts);
    const load = async () => {
        const statistics = await request("GET", "/v1/admin/statistics");
        fill(plots, plotsOf(statistics));
        fill(facts, cardsOf(statistics));
    };
    await load();
    const timer = setInterval(() => {
        if (document.visibilityState === "visible") void load().catch(() => undefined);
    }, EVERY_MILLISECONDS);
    place.append(h("section", {}, checkButton()));
    return { close: () => clearInterval(timer) };
}

/** @param {Record<string, any>} statistics */
function plotsOf({ samples, current, intervalSeconds }) {
    const all = [...samples, ...(current && !samples.length ? [current] : [])];
    /** @param {string} name */
    const values = name => all.map((/** @type {any} */ sample) => sample[name] ?? null);
    const minutes = (/** @type {(number | null)[]} */ list) =>
        list.map(value => (value === null ? null : value * 60 / intervalSeconds));
    const count = (/** @type {number} */ value) => number(value, { maximumFractionDigits: 1 });
    const time = (/** @type {number} */ value) => number(value,
        { style: "unit", unit: "millisecond", maximumFractionDigits: 1 });
    const share = (/** @type {number} */ value) =>
        number(value, { style: "percent", maximumFractionDigits: 0 });
    const hits = all.map((/** @type {any} */ sample) =>
        (sample.requests ? Math.min(sample.cacheHits / sample.requests, 1) : null));
    /** @type {[string, { name: string, values: (number | null)[] }[], (value: number) => string][]} */
    const list = [
        [t("plot.requests"), [{ name: t("plot.requests"), values: minutes(values("requests")) }], count],
        [t("plot.errors"), [{ name: t("plot.errors"), values: minutes(values("errors")) }], count],
        [t("plot.latency"), [{ name: "p50", values: values("p50Milliseconds") },
            { name: "p99", values: values("p99Milliseconds") }], time],
        [t("plot.cacheHits"), [{ name: t("plot.cacheHits"), values: hits }], share],
        [t("plot.connections"), [{ name: t("plot.connections"), values: values("connections") }], count],
        [t("plot.writes"), [{ name: t("plot.writes"), values: minutes(values("writes")) }], count],
        [t("plot.queues"), [{ name: t("plot.reads"), values: values("queuedReads") },
            { name: t("plot.queuedWrites"), values: values("queuedWrites") },
            { name: t("plot.renderings"), values: values("queuedRenderings") }], count],
    ];
    return list.map(([label, lines, print]) => plot(label, lines, print, SAMPLES));
}

/** @param {Record<string, any>} statistics */
function cardsOf({ database, search, certificates, webhooks, findings, version, startedAt }) {
    const faults = findings.filter((/** @type {any} */ each) => each.level !== "ok");
    return [
        card(t("health.server"), [
            [t("health.version"), version], [t("health.started"), ago(startedAt)],
            [t("health.database"), bytes(database.bytes)], [t("health.log"), bytes(database.logBytes)],
            [t("health.searchIndex"), search.progress < 1
                ? number(search.progress, { style: "percent" })
                : t("health.documents", { count: search.documents })],
        ]),
        certificates.length ? card(t("health.certificates"),
            certificates.map((/** @type {any} */ each) => [each.file,
                t("health.until", { when: date(each.notAfter, { dateStyle: "medium" }) })])) : null,
        webhooks.length ? h("section", { class: "card" }, h("h2", {}, t("health.webhooks")),
            h("ul", {}, webhooks.map((/** @type {any} */ each) => h("li", {},
                h("strong", {}, each.host), " ",
                badge(each.failingSeconds ? "failing" : "delivering"),
                h("p", { class: "hint" }, each.failingSeconds
                    ? t("health.failingFor", { minutes: Math.ceil(each.failingSeconds / 60) }) + " · " : "",
                pendingText(each.pendingChanges),
                t("health.deliveries", { delivered: each.delivered, failed: each.failed })))))) : null,
        h("section", { class: "card" }, h("h2", {}, t("health.findings")),
            faults.length ? h("ul", {}, faults.map((/** @type {any} */ each) => h("li", {},
                badge(each.level), " ", h("strong", {}, each.subject),
                h("p", {}, each.found),
                each.advice ? h("p", { class: "hint" }, each.advice) : null)))
                : h("p", { class: "hint" }, t("health.noFindings"))),
    ];
}

/** As far as the server counts. */
const MOST_PENDING = 500;

/** @param {number | undefined} count How many changes the receiver does not have yet. */
function pendingText(count) {
    if (count === undefined) return "";
    const key = count >= MOST_PENDING ? "health.pendingMany" : count ? "health.pending" : "health.current";
    return t(key, { count }) + " · ";
}

/**
 * @param {string} title
 * @param {[string, string][]} rows
 */
function card(title, rows) {
    return h("section", { class: "card" }, h("h2", {}, title),
        h("dl", {}, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}

function checkButton() {
    const result = h("p", { class: "hint", role: "status" });
    const check = button(t("health.check"), async () => {
        check.disabled = true;
        result.textContent = t("health.checking");
        try {
            const report = await request("GET", "/v1/admin/check");
            result.textContent = report.findings.length ? report.findings.join(" · ")
                : t("health.intact", { articles: report.articles, revisions: report.revisions });
        } catch (error) {
            result.textContent = "";
            sayError(error);
        } finally {
            check.disabled = false;
        }
    });
    return h("div", { class: "stack" }, h("div", {}, check), result);
}
