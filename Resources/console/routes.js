// Addresses within the page: `#/articles/ID/history?compare=3`.

/**
 * @typedef {{ path: string[], query: URLSearchParams }} Route
 */

/**
 * @param {string} fragment With or without `#`.
 * @returns {Route}
 */
export function parseRoute(fragment) {
    const [path, query = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
    return {
        path: path.split("/").filter(Boolean).map(decoded),
        query: new URLSearchParams(query),
    };
}

/** @param {string} text */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/**
 * @param {string[]} path
 * @param {Record<string, string | undefined | null>} [query] Empty values are left out.
 */
export function printRoute(path, query = {}) {
    const values = Object.entries(query).filter(([, value]) => value);
    const text = new URLSearchParams(/** @type {[string, string][]} */ (values)).toString();
    return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/**
 * Whether it is the id of an article, or names one that is not on the server yet.
 * @param {string} text
 */
export const isArticleKey = text => /^(new|(new-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text);
