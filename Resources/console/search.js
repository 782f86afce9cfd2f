// Search over everything the person may edit: the server's full-text search for what is published, and
// titles of what is not.

import { request, requestPages } from "./api.js";

const HIDDEN = ["draft", "scheduled", "archived"];
/** How many pages of hidden articles of each status are looked through. */
const LIMIT_PAGES = 3;
const FIELDS = "title,slug,status,publishedAt,updatedAt,version,authors,tags,language";

/** @type {{ key: string, time: number, list: Promise<Record<string, any>[]> } | null} */
let hidden = null;
const FRESH_MILLISECONDS = 20_000;

/**
 * @param {string} typed
 * @param {Record<string, string | undefined>} filter
 * @param {string} cursor Of the server's search: all that is not published is on the first page.
 * @param {AbortSignal} [signal]
 */
export async function search(typed, filter, cursor, signal) {
    const { status, ...rest } = filter;
    if (cursor) return await published(typed, rest, cursor, signal);
    const isPublic = !status || status === "published";
    const [found, others] = await Promise.all([
        isPublic ? published(typed, rest, "", signal) : { items: [] },
        status === "published" ? [] : hiddenArticles(rest),
    ]);
    const words = folded(typed).split(/\s+/).filter(Boolean);
    const matching = others.filter(article => (!status || article.status === status)
        && words.every(word => folded([article.title, article.slug,
            ...article.tags.map((/** @type {any} */ tag) => tag.name)].join(" ")).includes(word)));
    return { ...found, items: [...matching, ...found.items] };
}

/**
 * @param {string} typed
 * @param {Record<string, string | undefined>} filter
 * @param {string} cursor
 * @param {AbortSignal} [signal]
 */
async function published(typed, filter, cursor, signal) {
    const page = await request("GET", "/v1/search", {
        query: { ...filter, q: typed.slice(0, 200), limit: 30, cursor, fields: FIELDS }, signal,
    });
    return {
        ...page,
        items: page.items.map((/** @type {any} */ hit) => ({ ...hit.article, excerpt: hit.excerpt })),
    };
}

/**
 * @param {Record<string, string | undefined>} filter
 * @returns {Promise<Record<string, any>[]>}
 */
function hiddenArticles(filter) {
    const key = JSON.stringify(filter);
    if (!hidden || hidden.key !== key || Date.now() - hidden.time > FRESH_MILLISECONDS) {
        const list = Promise.all(HIDDEN.map(status => requestPages(
            "/v1/articles", { ...filter, status, sort: "-updatedAt", fields: FIELDS }, LIMIT_PAGES)))
            .then(all => all.flat());
        list.catch(() => { hidden = null; });
        hidden = { key, time: Date.now(), list };
    }
    return hidden.list;
}

/** @param {string} text Without regard to case and accents. */
const folded = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
