// What a person edits of an article, as values: the fields, what changed in them, and how two
// versions that began at the same one are merged.

/**
 * @typedef {{ id?: string, name: string }} Writer
 * @typedef {{ url: string, alternativeText: string }} Hero
 * @typedef {object} Content
 * @property {string} title
 * @property {string} summary
 * @property {string} body Markdown.
 * @property {string} slug
 * @property {string} language
 * @property {string[]} tags
 * @property {Writer[]} authors
 * @property {Hero | null} heroImage
 * @property {string} status
 * @property {string | null} publishedAt
 * @property {string | null} comments The policy; `null` for the server's.
 * @typedef {keyof Content} Field
 * @typedef {{ field: Field, mine: unknown, theirs: unknown, choice: "mine" | "theirs" | null }} Difference
 */

/** @type {Field[]} In the order in which people read them. */
export const FIELDS = [
    "title", "summary", "body", "slug", "tags", "authors", "language", "heroImage", "status",
    "publishedAt", "comments",
];

/** @returns {Content} */
export function emptyContent() {
    return {
        title: "", summary: "", body: "", slug: "", language: "", tags: [], authors: [],
        heroImage: null, status: "draft", publishedAt: null, comments: null,
    };
}

/**
 * What can be edited of an article as the server sends it.
 * @param {Record<string, any>} article
 * @returns {Content}
 */
export function contentOf(article) {
    const hero = article.heroImage;
    return {
        title: article.title ?? "",
        summary: article.summary ?? "",
        body: article.body ?? "",
        slug: article.slug ?? "",
        language: article.language ?? "",
        tags: (article.tags ?? []).map((/** @type {any} */ tag) => tag.name),
        authors: (article.authors ?? []).map(
            (/** @type {any} */ author) => ({ id: author.id, name: author.name })),
        heroImage: hero ? { url: hero.url, alternativeText: hero.alternativeText ?? "" } : null,
        status: article.status ?? "draft",
        publishedAt: article.publishedAt ?? null,
        comments: article.comments ?? null,
    };
}

/**
 * Whether two values of a field are the same.
 * @param {unknown} a
 * @param {unknown} b
 */
export function isSame(a, b) {
    return a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/**
 * The fields whose values differ.
 * @param {Content} a
 * @param {Content} b
 */
export function changedFields(a, b) {
    return FIELDS.filter(field => !isSame(a[field], b[field]));
}

/**
 * The merge patch (RFC 7396) that makes `after` out of `before`; `null` if they are the same.
 * @param {Content} before
 * @param {Content} after
 * @returns {Record<string, unknown> | null}
 */
export function patchBetween(before, after) {
    const fields = changedFields(before, after);
    if (!fields.length) return null;
    /** @type {Record<string, unknown>} */
    const patch = {};
    for (const field of fields) {
        // An empty slug or language means the present one: the server makes these up itself.
        if ((field === "slug" || field === "language") && !after[field]) continue;
        patch[field] = wireValue(field, after);
    }
    return Object.keys(patch).length ? patch : null;
}

/**
 * The body of the request that creates an article.
 * @param {Content} content
 */
export function draftOf(content) {
    /** @type {Record<string, unknown>} */
    const draft = {};
    for (const field of FIELDS) {
        const value = wireValue(field, content);
        if (value !== null && value !== "" && !(Array.isArray(value) && !value.length)) {
            draft[field] = value;
        }
    }
    return draft;
}

/**
 * @param {Field} field
 * @param {Content} content
 */
function wireValue(field, content) {
    if (field === "heroImage") {
        const hero = content.heroImage;
        if (!hero || !hero.url) return null;
        return hero.alternativeText ? hero : { url: hero.url, alternativeText: null };
    }
    if (field === "authors") {
        return content.authors.map(({ id, name }) => (id ? { id } : { name }));
    }
    return content[field];
}

/**
 * The fields in which two versions differ that both began at `base`. A field that only one of them
 * changed is decided for that one; a field that both changed is left to the person.
 * @param {Content} base
 * @param {Content} mine
 * @param {Content} theirs
 * @returns {Difference[]}
 */
export function compare(base, mine, theirs) {
    return changedFields(mine, theirs).map(field => {
        const isMine = !isSame(base[field], mine[field]);
        const isTheirs = !isSame(base[field], theirs[field]);
        const choice = isMine && isTheirs ? null : isMine ? "mine" : "theirs";
        return { field, mine: mine[field], theirs: theirs[field], choice };
    });
}

/**
 * The content after the person has chosen.
 * @param {Content} theirs
 * @param {Difference[]} differences
 * @returns {Content}
 */
export function merged(theirs, differences) {
    /** @type {Record<string, unknown>} */
    const result = { ...theirs };
    for (const { field, mine, choice } of differences) {
        if (choice === "mine") result[field] = mine;
    }
    return /** @type {Content} */ (/** @type {unknown} */ (result));
}
