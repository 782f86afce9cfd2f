// Text that the server does not have yet, in the browser's database: it survives a closed tab, an ended
// session and a server that is away.

/** @typedef {import("./article-edit.js").Kept} Kept */

const NAME = "broadsheet";
const STORE = "drafts";

/** @type {Promise<IDBDatabase> | null} */
let opening = null;

function database() {
    opening ??= new Promise((resolve, reject) => {
        const request = indexedDB.open(NAME, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    return opening;
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T>}
 */
async function perform(mode, work) {
    const transaction = (await database()).transaction(STORE, mode);
    const request = work(transaction.objectStore(STORE));
    return await new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve(request.result);
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
}

export const drafts = {
    /** @param {Kept} kept */
    async put(kept) {
        await perform("readwrite", store => store.put(kept));
    },
    /** @param {string} key */
    async remove(key) {
        await perform("readwrite", store => store.delete(key));
    },
    /**
     * @param {string} key
     * @returns {Promise<Kept | undefined>}
     */
    async get(key) {
        return await perform("readonly", store => store.get(key));
    },
    /**
     * @param {string} owner
     * @returns {Promise<Kept[]>} The latest first.
     */
    async all(owner) {
        const found = await perform("readonly", store => store.getAll());
        return found.filter(kept => kept.owner === owner).sort((a, b) => b.time - a.time);
    },
};
