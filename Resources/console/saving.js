// What an edit needs of the server, of this device and of the clock.

import { currentSession, request } from "./api.js";
import { drafts } from "./drafts.js";

/** @typedef {import("./article-edit.js").Kept} Kept */

const FIELDS = "id,slug,title,summary,body,language,authors,tags,heroImage,status,publishedAt,"
    + "createdAt,updatedAt,revision,version,source,wordCount,readingMinutes,comments,owner";

/** @type {import("./article-edit.js").Backend} */
export const backend = {
    create: (draft, key) =>
        request("POST", "/v1/articles", { body: draft, headers: { "Idempotency-Key": key } }),
    update: (id, patch, version, key) => request("PATCH", `/v1/articles/${id}`, {
        body: patch, headers: { "If-Match": `"${version}"`, "Idempotency-Key": key },
    }),
    fetch: id => request("GET", `/v1/articles/${id}`, { query: { fields: FIELDS } }),
};

/** Keeping text is a help: where the browser has no database, editing goes on without. */
const keeper = {
    put: (/** @type {Kept} */ kept) => drafts.put(kept).catch(() => undefined),
    remove: (/** @type {string} */ key) => drafts.remove(key).catch(() => undefined),
};

export const ownerOfDrafts = () => {
    const { user, kind, name } = currentSession();
    return user?.id ?? `${kind}:${name ?? ""}`;
};

/**
 * @param {() => void} changed Called when anything has changed.
 * @returns {import("./article-edit.js").Surroundings}
 */
export const surroundings = changed => ({
    backend, keeper, changed, owner: ownerOfDrafts(), now: () => Date.now(),
    after: (milliseconds, action) => {
        const timer = setTimeout(action, milliseconds);
        return () => clearTimeout(timer);
    },
    uuid: () => crypto.randomUUID(),
});
