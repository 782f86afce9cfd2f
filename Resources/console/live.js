// Changes as they happen: one stream for the whole page.

import { Offline, exchange, pause } from "./api.js";
import { EventParser } from "./events.js";

/**
 * @typedef {{ type: string, action: string, id: string, revision: number, time: number,
 *     article?: Record<string, any>, author?: Record<string, any> }} Change
 * @typedef {"connecting" | "live" | "away"} LiveState
 */

const LIMIT = 200;
const SILENCE_MILLISECONDS = 45_000;
const FIELDS = "title,slug,status,publishedAt,updatedAt,version,authors,tags,language";

/** @type {Change[]} The latest first. */
let changes = [];
/** @type {LiveState} */
let state = "connecting";
/** @type {Set<(change: Change | null) => void>} */
const listeners = new Set();
/** @type {AbortController | undefined} */
let running;

export const recentChanges = () => changes;
export const liveState = () => state;

/**
 * @param {(change: Change | null) => void} listener Called with `null` if only the state has changed.
 * @returns {() => void} Ends it.
 */
export function onChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function startLive() {
    stopLive();
    running = new AbortController();
    void follow(running.signal);
}

export function stopLive() {
    running?.abort();
    running = undefined;
    changes = [];
}

/** @param {AbortSignal} signal */
async function follow(signal) {
    let token = "";
    let failures = 0;
    while (!signal.aborted) {
        try {
            setState("connecting");
            token = await read(signal, token, () => { failures = 0; });
        } catch (error) {
            if (signal.aborted) return;
            const status = /** @type {any} */ (error).status;
            // The history is another one, or the role: from the present on.
            if (status === 410 || status === 400) token = "";
            setState("away");
            failures += 1;
            if (!(error instanceof Offline) && status && status < 500 && failures > 5) return;
        }
        await pause(Math.min(500 * 2 ** failures, 15_000) * (0.75 + Math.random() / 2), signal)
            .catch(() => undefined);
    }
}

/**
 * @param {AbortSignal} signal
 * @param {string} token
 * @param {() => void} connected
 * @returns {Promise<string>} The token after the last event.
 */
async function read(signal, token, connected) {
    const silence = new AbortController();
    const end = () => silence.abort();
    signal.addEventListener("abort", end);
    let timer = setTimeout(end, SILENCE_MILLISECONDS);
    let last = token;
    try {
        const response = await exchange("GET", "/v1/changes/stream", {
            query: { since: token || "now", types: "article,author", fields: FIELDS },
            signal: silence.signal,
        });
        const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
        const decoder = new TextDecoder();
        const parser = new EventParser();
        for (;;) {
            const { done, value } = await reader.read();
            clearTimeout(timer);
            if (done) return last;
            timer = setTimeout(end, SILENCE_MILLISECONDS);
            for (const event of parser.push(decoder.decode(value, { stream: true }))) {
                if (event.id) last = event.id;
                if (event.type === "ready") {
                    connected();
                    setState("live");
                } else if (event.type === "change") take(JSON.parse(event.data));
            }
        }
    } catch (error) {
        if (/** @type {any} */ (error).status || signal.aborted) throw error;
        // A stream that breaks goes on at the last event.
        setState("away");
        return last;
    } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
    }
}

/** @param {Change} change */
function take(change) {
    change.time = Date.now();
    changes = [change, ...changes].slice(0, LIMIT);
    for (const listener of [...listeners]) listener(change);
}

/** @param {LiveState} next */
function setState(next) {
    if (next === state) return;
    state = next;
    for (const listener of [...listeners]) listener(null);
}
