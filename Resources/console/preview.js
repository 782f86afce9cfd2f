// The text as readers will see it, by the server's own renderer.

import { request } from "./api.js";
import { h, renderedPlace } from "./dom.js";
import { t } from "./i18n.js";

const PAUSE_MILLISECONDS = 200;
const PAUSE_OF_LARGE_MILLISECONDS = 1500;
const LARGE_CHARACTERS = 200_000;

export function previewPane() {
    const place = renderedPlace(t("editor.preview"));
    const note = h("p", { class: "hint", role: "status" });
    let isActive = false;
    let shown = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {AbortController | undefined} */
    let running;

    /** @param {string} body */
    async function render(body) {
        running?.abort();
        running = new AbortController();
        const { signal } = running;
        try {
            const { bodyHTML } = body.trim()
                ? await request("POST", "/v1/preview", { body: { body }, signal }) : { bodyHTML: "" };
            if (signal.aborted) return;
            place.show(bodyHTML);
            shown = body;
            note.textContent = body.trim() ? "" : t("preview.empty");
        } catch (error) {
            if (signal.aborted) return;
            // The text as it was stays: a preview that is late is better than none.
            note.textContent = /** @type {any} */ (error).isOffline ? t("preview.offline")
                : /** @type {any} */ (error).message;
        }
    }

    /** @param {string} body */
    function show(body) {
        clearTimeout(timer);
        if (!isActive || (body === shown && body)) return;
        const pause = body.length > LARGE_CHARACTERS ? PAUSE_OF_LARGE_MILLISECONDS : PAUSE_MILLISECONDS;
        timer = setTimeout(() => void render(body), pause);
    }

    return {
        element: h("section", { class: "preview", "aria-label": t("editor.preview") }, note, place.host),
        show,
        /**
         * @param {boolean} value
         * @param {string} body
         */
        setActive(value, body) {
            isActive = value;
            if (value) show(body);
        },
        close() {
            clearTimeout(timer);
            running?.abort();
        },
    };
}
