// Backups out, articles in.

import { exchange, pause, request } from "./api.js";
import { button, explained, field, fill, h, newID, say, sayError } from "./dom.js";
import { bytes, number, t } from "./i18n.js";

/**
 * @param {HTMLElement} place
 * @returns {Promise<import("./here.js").View>}
 */
export async function showTransfer(place) {
    const running = new AbortController();
    fill(place, h("header", { class: "page-head" }, h("h1", {}, t("nav.transfer"))),
        backupSection(running.signal), importSection(running.signal));
    return { close: () => running.abort() };
}

/** @param {AbortSignal} signal */
function backupSection(signal) {
    const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": t("backup.progress") });
    const note = h("p", { class: "hint", role: "status" });
    const start = button(t("backup.action"), async () => {
        start.disabled = true;
        progress.hidden = false;
        progress.removeAttribute("value");
        note.textContent = t("backup.preparing");
        const isCopied = new AbortController();
        void followCopy(isCopied.signal, progress);
        try {
            const blob = await download(signal, (done, all) => {
                isCopied.abort();
                if (all) progress.value = done / all;
                note.textContent = all ? t("backup.of", { done: bytes(done), all: bytes(all) }) : bytes(done);
            });
            offer(blob, `broadsheet-${new Date().toISOString().slice(0, 10)}.db`);
            note.textContent = t("backup.done", { size: bytes(blob.size) });
        } catch (error) {
            note.textContent = "";
            sayError(error);
        } finally {
            isCopied.abort();
            start.disabled = false;
            progress.hidden = true;
        }
    }, { class: "primary" });
    return h("section", { class: "card" }, h("h2", {}, t("backup.title")), h("p", {}, t("backup.text")),
        h("div", { class: "actions start" }, start), progress, note);
}

/**
 * Shows how far the server is with its copy, from which the download is sent.
 * @param {AbortSignal} signal
 * @param {HTMLProgressElement} progress
 */
async function followCopy(signal, progress) {
    while (!signal.aborted) {
        try {
            const { pages, total } = await request("GET", "/v1/admin/backups/current", { signal });
            if (total && !signal.aborted) progress.value = pages / total;
        } catch { /* It has not begun, or is complete. */ }
        await pause(500, signal).catch(() => undefined);
    }
}

/**
 * @param {AbortSignal} signal
 * @param {(done: number, all: number) => void} report
 */
async function download(signal, report) {
    const response = await exchange("GET", "/v1/admin/backup", { signal });
    const all = Number(response.headers.get("Content-Length")) || 0;
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    /** @type {Uint8Array[]} */
    const parts = [];
    let done = 0;
    for (;;) {
        const { done: isOver, value } = await reader.read();
        if (isOver) break;
        parts.push(value);
        done += value.length;
        report(done, all);
    }
    if (all && done !== all) throw new Error(t("backup.incomplete"));
    return new Blob(parts, { type: "application/octet-stream" });
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function offer(blob, name) {
    const link = h("a", { href: URL.createObjectURL(blob), download: name, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {AbortSignal} signal */
function importSection(signal) {
    const report = h("div", { "aria-live": "polite" });
    const input = h("input", { type: "file", id: newID(), multiple: true, class: "unseen",
        onchange: () => void take(input.files) });
    const zone = h("div", { class: "drop" },
        h("label", { for: input.id, class: "button" }, t("import.choose")), input,
        h("p", {}, t("import.drop")));
    const site = h("input", { type: "url", placeholder: "https://example.org" });
    let isBusy = false;

    /** @param {FileList | null | undefined} files */
    async function take(files) {
        if (isBusy || !files?.length) return;
        isBusy = true;
        const list = [...files];
        input.value = "";
        const status = h("p", { role: "status" });
        const lines = h("ul", { class: "report" });
        fill(report, status, lines);
        let done = 0;
        for (const file of list) {
            status.textContent = t("import.running", { done, all: list.length, name: file.name });
            lines.append(await importFile(file, site.value.trim(), signal));
            done += 1;
        }
        status.textContent = t("import.done", { count: done });
        say(t("import.done", { count: done }));
        isBusy = false;
    }
    for (const type of ["dragenter", "dragover"]) {
        zone.addEventListener(type, event => {
            event.preventDefault();
            zone.classList.add("over");
        });
    }
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", event => {
        event.preventDefault();
        zone.classList.remove("over");
        void take(event.dataTransfer?.files);
    });
    return h("section", { class: "card" }, h("h2", {}, t("import.title")), h("p", {}, t("import.text")),
        field(t("import.site"), site, { hint: t("import.siteHint") }), zone, report);
}

/**
 * @param {File} file
 * @param {string} site the address of the site that it was exported from, or an empty text
 * @param {AbortSignal} signal
 */
async function importFile(file, site, signal) {
    try {
        const result = await request("POST", "/v1/admin/import", {
            query: { name: file.name, siteURL: site || null }, body: file,
            headers: { "Content-Type": "application/octet-stream" }, signal,
        });
        return h("li", {}, h("strong", { dir: "auto" }, file.name), " ",
            t("import.result", { created: number(result.created), updated: number(result.updated),
                unchanged: number(result.unchanged), kept: number(result.keptEdits ?? 0) }),
            remarks(result.failures, "field-error"), remarks(result.omissions, "hint"));
    } catch (error) {
        return h("li", {}, h("strong", { dir: "auto" }, file.name), " ",
            h("span", { class: "field-error" }, explained(error)));
    }
}

/**
 * What could not be taken, by line where the file has lines.
 * @param {{ line?: number, reason: string }[] | undefined} list
 * @param {string} style
 */
function remarks(list, style) {
    if (!list?.length) return null;
    return h("ul", {}, list.slice(0, 100).map(({ line, reason }) =>
        h("li", { class: style }, line ? t("import.line", { line, reason }) : reason)));
}
