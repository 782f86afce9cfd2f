// Search over everything the person may edit: the server's full-text search for what is published, and
// titles of what is not.

import { request, requestPages } from "./api.js";
import { whenForgotten } from "./known.js";
import { liveState, onChange } from "./live.js";

const HIDDEN = ["draft", "scheduled", "archived"];
/** How many pages of hidden articles of each status are looked through. */
const LIMIT_PAGES = 100;
const FIELDS = "title,slug,status,publishedAt,updatedAt,version,authors,tags,language";

/**
 * All that is not published, for one filter: fetched once, and kept current by the stream of changes.
 * @type {{ key: string, isFiltered: boolean, list: Promise<Map<string, Record<string, any>>> } | null}
 */
let hidden = null;

whenForgotten(() => { hidden = null; });
onChange(async change => {
    // What happened in between is not known.
    if (!change) return liveState() === "live" ? undefined : void (hidden = null);
    if (change.type !== "article" || !hidden) return;
    const { list, isFiltered } = hidden;
    const known = await list.catch(() => null);
    const isHidden = change.article && change.article.status !== "published";
    // Whether the filter selects it, is for the server to say.
    if (isFiltered && isHidden && hidden?.list === list) hidden = null;
    if (isHidden) known?.set(change.id, { id: change.id, ...change.article });
    else known?.delete(change.id);
});

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
    const matching = [...others.values()].filter(article => (!status || article.status === status)
        && words.every(word => folded([article.title, article.slug,
            ...article.tags.map((/** @type {any} */ tag) => tag.name)].join(" ")).includes(word)));
    matching.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
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
 * @returns {Promise<Map<string, Record<string, any>>>}
 */
function hiddenArticles(filter) {
    const key = JSON.stringify(filter);
    if (!hidden || hidden.key !== key) {
        const list = Promise.all(HIDDEN.map(status => requestPages(
            "/v1/articles", { ...filter, status, sort: "-updatedAt", fields: FIELDS }, LIMIT_PAGES)))
            .then(all => new Map(all.flat().map(article => [article.id, article])));
        const entry = { key, isFiltered: Object.values(filter).some(Boolean), list };
        list.catch(() => { if (hidden === entry) hidden = null; });
        hidden = entry;
        // Without the stream, nothing keeps it current.
        if (liveState() !== "live") void list.then(() => { if (hidden === entry) hidden = null; }, () => undefined);
    }
    return hidden.list;
}

/** @param {string} text Without regard to case and accents. */
const folded = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
