// Articles that were deleted in this browser, or while it watched: where to find them again.

const KEY = "broadsheet.deleted";
const LIMIT = 100;

/**
 * @typedef {{ id: string, title: string, time: number }} Deleted
 * @returns {Deleted[]} The latest first.
 */
export function deletedArticles() {
    try {
        const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        return Array.isArray(found) ? found : [];
    } catch {
        return [];
    }
}

/**
 * @param {string} id
 * @param {string} title
 */
export function noteDeleted(id, title) {
    const others = deletedArticles().filter(each => each.id !== id);
    const known = deletedArticles().find(each => each.id === id);
    store([{ id, title: title || known?.title || "", time: Date.now() }, ...others].slice(0, LIMIT));
}

/** @param {string} id */
export function noteRestored(id) {
    const all = deletedArticles();
    if (all.some(each => each.id === id)) store(all.filter(each => each.id !== id));
}

export function forgetDeleted() {
    store([]);
}

/** @param {Deleted[]} list */
function store(list) {
    try {
        localStorage.setItem(KEY, JSON.stringify(list));
    } catch { /* It is a help, no more. */ }
}
