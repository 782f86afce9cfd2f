// Tags and authors that exist, fetched once and completed from.

import { requestPages } from "./api.js";

/** @typedef {{ id: string, name: string }} Author */

/** The most pages that are fetched: completing needs no more. */
const LIMIT_PAGES = 20;

/** @type {Map<string, Promise<any[]>>} */
const lists = new Map();

/** @param {string} path */
function all(path) {
    let list = lists.get(path);
    if (!list) {
        list = requestPages(path, {}, LIMIT_PAGES);
        list.catch(() => lists.delete(path));
        lists.set(path, list);
    }
    return list;
}

/** @type {Set<() => void>} */
const forgetters = new Set([() => lists.clear()]);

/** @param {() => void} forget Called when somebody else signs in. */
export const whenForgotten = forget => void forgetters.add(forget);

/** Nothing that one person saw stays for the next. */
export function forgetKnown() {
    for (const forget of forgetters) forget();
}

/** @returns {Promise<Author[]>} */
export const authors = () => all("/v1/authors");

/** @returns {Promise<{ key: string, name: string, articleCount: number }[]>} */
export const tags = () => all("/v1/tags");

/**
 * Names that contain what was typed, those that begin with it first.
 * @param {Promise<{ name: string }[]>} list
 * @param {string} typed
 */
export async function completions(list, typed) {
    const wanted = typed.toLocaleLowerCase();
    if (!wanted) return [];
    const names = (await list).map(({ name }) => name)
        .filter(name => name.toLocaleLowerCase().includes(wanted));
    const begins = (/** @type {string} */ name) => name.toLocaleLowerCase().startsWith(wanted);
    return [...names.filter(begins), ...names.filter(name => !begins(name))];
}
