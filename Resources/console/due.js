// What will be published, by day.

import { requestPages } from "./api.js";
import { fill, h } from "./dom.js";
import { ago, date, t } from "./i18n.js";
import { onChange } from "./live.js";
import { printRoute } from "./routes.js";
import { dayOf } from "./zones.js";

const FIELDS = "title,status,publishedAt,authors";
const LIMIT_PAGES = 10;

/**
 * Groups articles by the day on which they are due.
 * @param {Record<string, any>[]} articles In the order of their times.
 * @param {string} [zone]
 * @returns {[day: string, articles: Record<string, any>[]][]}
 */
export function byDay(articles, zone) {
    /** @type {Map<string, Record<string, any>[]>} */
    const days = new Map();
    for (const article of articles) {
        const day = dayOf(new Date(article.publishedAt), zone);
        days.set(day, [...days.get(day) ?? [], article]);
    }
    return [...days];
}

const scheduled = () => requestPages("/v1/articles",
    { status: "scheduled", sort: "publishedAt", fields: FIELDS }, LIMIT_PAGES);

/**
 * @param {HTMLElement} place
 * @returns {Promise<import("./here.js").View>}
 */
export async function showDue(place) {
    const list = h("div", { class: "days" });
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.due"))), list);
    const load = async () => {
        const days = byDay(await scheduled());
        const today = dayOf(new Date());
        fill(list, days.length ? days.map(([day, articles]) => h("section", { class: "day" },
            h("h2", {}, day === today ? t("due.today") + " · " : "",
                h("time", { datetime: day },
                    date(articles[0].publishedAt, { weekday: "long", month: "long", day: "numeric" }))),
            h("ul", { class: "rows" }, articles.map(article => h("li", { class: "row due" },
                h("time", { class: "due-time", datetime: article.publishedAt },
                    date(article.publishedAt, { timeStyle: "short" })),
                h("a", { class: "row-title", href: printRoute(["articles", article.id]), dir: "auto" },
                    article.title),
                h("p", { class: "row-note" },
                    article.authors.map((/** @type {any} */ each) => each.name).join(", "),
                    h("span", {}, ago(article.publishedAt))))))))
            : h("p", { class: "empty" }, t("due.nothing")));
    };
    await load();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const end = onChange(change => {
        if (change?.type !== "article") return;
        clearTimeout(timer);
        timer = setTimeout(() => void load().catch(() => undefined), 500);
    });
    return {
        close() {
            clearTimeout(timer);
            end();
        },
    };
}
