// Server-sent events out of pieces of text, as HTML's standard describes them. `EventSource` is not
// used: it cannot send an `Authorization` header.

/**
 * @typedef {{ type: string, data: string, id: string }} ServerEvent
 */

/** The most that one event may take; a longer one is dropped. */
const LIMIT_CHARACTERS = 8_000_000;

export class EventParser {
    #rest = "";
    #type = "";
    /** @type {string[]} */
    #data = [];
    #id = "";
    #size = 0;

    /**
     * @param {string} text The next piece of the stream.
     * @returns {ServerEvent[]} The events that it completes.
     */
    push(text) {
        const lines = (this.#rest + text).split(/\r\n|\n|\r(?=[^\n])/);
        this.#rest = lines.pop() ?? "";
        if (this.#rest.length > LIMIT_CHARACTERS) this.#rest = "";
        /** @type {ServerEvent[]} */
        const events = [];
        for (const line of lines) {
            const event = this.#read(line);
            if (event) events.push(event);
        }
        return events;
    }

    /**
     * @param {string} line
     * @returns {ServerEvent | null}
     */
    #read(line) {
        if (line === "") {
            const event = this.#data.length
                ? { type: this.#type || "message", data: this.#data.join("\n"), id: this.#id } : null;
            this.#type = "";
            this.#data = [];
            this.#size = 0;
            return event;
        }
        const colon = line.indexOf(":");
        if (colon === 0) return null;
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "event") this.#type = value;
        if (name === "id") this.#id = value;
        if (name === "data" && this.#size + value.length <= LIMIT_CHARACTERS) {
            this.#size += value.length;
            this.#data.push(value);
        }
        return null;
    }
}
