// The one place that talks HTTP: credentials, problems, retries, and whether the server is there.

/**
 * @typedef {object} Session Who is signed in, as `/console/session` says.
 * @property {"cookie" | "bearer"} mode
 * @property {"user" | "key" | "operator" | "anonymous"} kind
 * @property {string} [name]
 * @property {string} [role]
 * @property {boolean} canRenew
 * @property {string} [expiresAt]
 * @property {string} [accessToken] In memory only, over plain HTTP on this machine.
 * @property {string} [refreshToken]
 * @property {Record<string, any>} [user]
 * @typedef {object} RequestOptions
 * @property {Record<string, string | number | string[] | undefined | null>} [query]
 * @property {unknown} [body] Sent as JSON; a Blob as it is.
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 */

/** A response that says what was wrong (RFC 9457). */
export class Problem extends Error {
    /**
     * @param {number} status
     * @param {Record<string, any>} body
     * @param {number} retryAfter In seconds.
     */
    constructor(status, body, retryAfter = 0) {
        super(body.detail || body.title || `HTTP ${status}`);
        this.status = status;
        this.type = String(body.type ?? "");
        /** @type {{ detail: string, pointer?: string, parameter?: string, header?: string }[]} */
        this.errors = body.errors ?? [];
        this.retryAfter = retryAfter;
    }
}

/** No response: the server, or the way to it, is away. */
export class Offline extends Error {
    isOffline = true;
}

/** The person did not sign in again. */
export class SignedOut extends Error {}

/** @type {Session} */
let session = { mode: "bearer", kind: "anonymous", canRenew: false };
/** @type {Promise<boolean> | null} */
let renewing = null;
/** @type {Promise<void> | null} */
let asking = null;
/** @type {(() => Promise<void>) | null} */
let askToSignIn = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let renewal;

export const currentSession = () => session;

/**
 * How the person is asked to sign in again when the session has ended.
 * @param {() => Promise<void>} ask Rejects if the person leaves.
 */
export function whenExpired(ask) { askToSignIn = ask; }

// ---- Sessions ----

/** Asks the server who is signed in, as when the page is loaded. */
export async function loadSession() {
    const known = await plain("GET", "/console/session");
    if (known.kind === "anonymous" && known.canRenew) {
        session = known;
        await renew();
        return session;
    }
    return adopt(known);
}

/**
 * @param {{ name: string, password: string } | { key: string } | { token: string }} proof
 */
export async function signIn(proof) {
    return adopt(await plain("POST", "/console/session", proof));
}

export async function signOut() {
    try {
        await plain("DELETE", "/console/session");
    } finally {
        adopt({ mode: session.mode, kind: "anonymous", canRenew: false });
    }
}

/** @param {Session} next */
function adopt(next) {
    session = next;
    clearTimeout(renewal);
    if (session.canRenew && session.expiresAt) {
        // A minute before its end; sleeping machines renew on the first 401.
        const rest = Date.parse(session.expiresAt) - Date.now() - 60_000;
        renewal = setTimeout(() => void renew(), Math.min(Math.max(rest, 5_000), 2 ** 31 - 1));
    }
    return session;
}

/** @returns {Promise<boolean>} Whether the session goes on. */
function renew() {
    renewing ??= (async () => {
        const proof = session.refreshToken ? { refreshToken: session.refreshToken } : { renew: true };
        try {
            adopt(await plain("POST", "/console/session", proof));
            return true;
        } catch (error) {
            if (error instanceof Offline) throw error;
            return false;
        }
    })().finally(() => { renewing = null; });
    return renewing;
}

/** @param {string | undefined} usedToken What the rejected request was sent with. */
async function signInAgain(usedToken) {
    if (usedToken !== session.accessToken) return;
    if (session.canRenew && await renew()) return;
    if (!askToSignIn) throw new SignedOut();
    asking ??= askToSignIn().finally(() => { asking = null; });
    await asking;
}

// ---- Requests ----

/**
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<any>} The parsed JSON; `null` if there is none.
 */
export async function request(method, path, options = {}) {
    const response = await exchange(method, path, options);
    return await parsed(response);
}

/**
 * The items of a list, page by page.
 * @param {string} path
 * @param {RequestOptions["query"]} query
 * @param {number} limitPages The most pages that are fetched.
 */
export async function requestPages(path, query, limitPages) {
    /** @type {Record<string, any>[]} */
    const items = [];
    let cursor = "";
    for (let page = 0; page < limitPages; page += 1) {
        const found = await request("GET", path, { query: { ...query, limit: 100, cursor } });
        items.push(...found.items);
        if (!found.next) break;
        cursor = found.next;
    }
    return items;
}

/**
 * Performs a request until there is a response that is not about credentials or a busy server.
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} options
 * @returns {Promise<Response>} Successful.
 */
export async function exchange(method, path, options = {}) {
    const isRepeatable = method === "GET" || !!options.headers?.["Idempotency-Key"];
    for (let attempt = 0, rejections = 0; ; attempt += 1) {
        const token = session.accessToken;
        const response = await send(method, path, options);
        if (response.ok) return response;
        // A session that is rejected right after it began is not asked for again and again.
        if (response.status === 401 && rejections < 3) {
            rejections += 1;
            await signInAgain(token);
            continue;
        }
        const problem = await problemOf(response);
        const isBusy = problem.status === 429 || problem.status === 503;
        if (!isBusy || !isRepeatable || attempt === 4) throw problem;
        await pause(Math.min(problem.retryAfter || 2 ** attempt, 30) * 1000, options.signal);
    }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} options
 */
async function send(method, path, options) {
    /** @type {Record<string, string>} */
    const headers = { ...options.headers };
    if (session.accessToken) headers.Authorization = `Bearer ${session.accessToken}`;
    /** @type {BodyInit | undefined} */
    let body;
    if (options.body instanceof Blob) body = options.body;
    else if (options.body !== undefined) {
        body = JSON.stringify(options.body);
        headers["Content-Type"] ??= method === "PATCH"
            ? "application/merge-patch+json" : "application/json";
    }
    try {
        const response = await fetch(path + queryText(options.query), {
            method, headers, body, signal: options.signal, cache: "no-store",
        });
        setOnline(true);
        return response;
    } catch (error) {
        if (/** @type {any} */ (error)?.name === "AbortError") throw error;
        setOnline(false);
        throw new Offline("no response");
    }
}

/** @param {RequestOptions["query"]} query */
function queryText(query) {
    if (!query) return "";
    const pairs = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value === undefined || value === null || value === "") continue;
        for (const each of Array.isArray(value) ? value : [value]) pairs.append(name, String(each));
    }
    const text = pairs.toString();
    return text && "?" + text;
}

/**
 * A request about the session itself, which never asks for a sign-in.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function plain(method, path, body) {
    const response = await send(method, path, { body });
    if (!response.ok) throw await problemOf(response);
    return await parsed(response);
}

/** @param {Response} response */
async function parsed(response) {
    const text = await response.text();
    return text ? JSON.parse(text) : null;
}

/** @param {Response} response */
async function problemOf(response) {
    const retryAfter = Number(response.headers.get("Retry-After")) || 0;
    try {
        return new Problem(response.status, await response.json(), retryAfter);
    } catch {
        return new Problem(response.status, {}, retryAfter);
    }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds);
        signal?.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(new DOMException("aborted", "AbortError"));
        }, { once: true });
    });
}

// ---- Whether the server is there ----

let isOnline = true;
/** @type {Set<(isOnline: boolean) => void>} */
const listeners = new Set();
let delay = 1000;

/**
 * @param {(isOnline: boolean) => void} listener
 * @returns {() => void} Ends it.
 */
export function onConnection(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** @param {boolean} value */
function setOnline(value) {
    if (value === isOnline) return;
    isOnline = value;
    if (value) delay = 1000;
    else void look();
    for (const listener of [...listeners]) listener(value);
}

/** Looks for the server until it is back, less and less often. */
async function look() {
    while (!isOnline) {
        await wait(delay);
        delay = Math.min(delay * 1.6, 15_000);
        try {
            const response = await fetch("/livez", { cache: "no-store" });
            if (response.ok) setOnline(true);
        } catch { /* It is still away. */ }
    }
}

/** @param {number} milliseconds */
function wait(milliseconds) {
    return new Promise(resolve => {
        const timer = setTimeout(done, milliseconds);
        function done() {
            clearTimeout(timer);
            removeEventListener("online", done);
            resolve(undefined);
        }
        addEventListener("online", done);
    });
}
