// Differences between two texts by word, in bounded time: first by lines, then by words within the
// lines that differ.

/**
 * @typedef {{ kind: "same" | "removed" | "added", text: string }} Piece
 */

/** How many edits are searched for before a stretch counts as replaced as a whole. */
const LIMIT_EDITS = 1500;

/**
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]} Neighbours are of different kinds; what was removed comes before what was added.
 */
export function wordDifference(before, after) {
    if (before === after) return before ? [{ kind: "same", text: before }] : [];
    /** @type {Piece[]} */
    const pieces = [];
    let removed = "";
    let added = "";
    const flush = () => {
        if (removed || added) pieces.push(...differenceOf(wordsOf(removed), wordsOf(added)));
        removed = added = "";
    };
    for (const piece of differenceOf(linesOf(before), linesOf(after))) {
        if (piece.kind === "removed") removed += piece.text;
        else if (piece.kind === "added") added += piece.text;
        else {
            flush();
            pieces.push(piece);
        }
    }
    flush();
    return joined(pieces);
}

/** @param {string} text */
function linesOf(text) {
    return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * Words, the space between them, and punctuation; letters of scripts without spaces one by one.
 * @param {string} text
 */
export function wordsOf(text) {
    return text.match(
        /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}_'’]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{L}\p{M}\p{N}_'’]|$)|[^]/gu)
        ?? [];
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Piece[]}
 */
function differenceOf(a, b) {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let end = 0;
    while (end < a.length - start && end < b.length - start
        && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
    /** @type {Piece[]} */
    const pieces = [];
    if (start) pieces.push({ kind: "same", text: a.slice(0, start).join("") });
    pieces.push(...shortest(a.slice(start, a.length - end), b.slice(start, b.length - end)));
    if (end) pieces.push({ kind: "same", text: a.slice(a.length - end).join("") });
    return joined(pieces);
}

/**
 * Myers' shortest edit script, up to LIMIT_EDITS edits.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Piece[]}
 */
function shortest(a, b) {
    const replacedWhole = () => /** @type {Piece[]} */ ([
        { kind: "removed", text: a.join("") }, { kind: "added", text: b.join("") },
    ].filter(piece => piece.text));
    if (!a.length || !b.length) return replacedWhole();
    const limit = Math.min(a.length + b.length, LIMIT_EDITS);
    /** @type {Int32Array[]} The furthest place on each diagonal, after each number of edits. */
    const trace = [];
    let reach = new Int32Array(2 * limit + 3);
    const middle = limit + 1;
    for (let edits = 0; edits <= limit; edits += 1) {
        trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
        for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
            const down = diagonal === -edits
                || (diagonal !== edits && reach[middle + diagonal - 1] < reach[middle + diagonal + 1]);
            let x = down ? reach[middle + diagonal + 1] : reach[middle + diagonal - 1] + 1;
            let y = x - diagonal;
            while (x < a.length && y < b.length && a[x] === b[y]) { x += 1; y += 1; }
            reach[middle + diagonal] = x;
            if (x >= a.length && y >= b.length) return walked(a, b, trace, edits);
        }
    }
    return replacedWhole();
}

/**
 * Walks the trace from its end to its beginning.
 * @param {string[]} a
 * @param {string[]} b
 * @param {Int32Array[]} trace
 * @param {number} edits
 */
function walked(a, b, trace, edits) {
    /** @type {Piece[]} */
    const pieces = [];
    let x = a.length;
    let y = b.length;
    for (let step = edits; step > 0; step -= 1) {
        const reach = trace[step];
        /** @param {number} diagonal */
        const at = diagonal => reach[diagonal + step + 1];
        const diagonal = x - y;
        const down = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
        const previous = down ? diagonal + 1 : diagonal - 1;
        const fromX = at(previous);
        const fromY = fromX - previous;
        const startX = down ? fromX : fromX + 1;
        if (x > startX) pieces.push({ kind: "same", text: a.slice(startX, x).join("") });
        if (down) pieces.push({ kind: "added", text: b[fromY] });
        else pieces.push({ kind: "removed", text: a[fromX] });
        x = fromX;
        y = fromY;
    }
    if (x > 0) pieces.push({ kind: "same", text: a.slice(0, x).join("") });
    return pieces.reverse();
}

/**
 * Joins neighbours, with what was removed before what was added.
 * @param {Piece[]} pieces
 * @returns {Piece[]}
 */
function joined(pieces) {
    /** @type {Piece[]} */
    const result = [];
    let same = "";
    let removed = "";
    let added = "";
    const flush = () => {
        if (same) result.push({ kind: "same", text: same });
        if (removed) result.push({ kind: "removed", text: removed });
        if (added) result.push({ kind: "added", text: added });
        same = removed = added = "";
    };
    for (const { kind, text } of pieces) {
        if (kind === "same") {
            if (removed || added) flush();
            same += text;
        } else if (kind === "removed") removed += text;
        else added += text;
    }
    flush();
    return result;
}

/**
 * Shortens what is the same in both to some context around the differences.
 * @param {Piece[]} pieces
 * @param {number} context In characters.
 * @returns {(Piece | { kind: "gap", text: string })[]}
 */
export function withContext(pieces, context) {
    return pieces.flatMap((piece, index) => {
        if (piece.kind !== "same") return [piece];
        const isFirst = index === 0;
        const isLast = index === pieces.length - 1;
        const sides = (isFirst ? 0 : context) + (isLast ? 0 : context);
        if (piece.text.length <= sides + context) return [piece];
        /** @type {(Piece | { kind: "gap", text: string })[]} */
        const result = [];
        if (!isFirst) result.push({ kind: "same", text: piece.text.slice(0, context) });
        result.push({ kind: "gap", text: "" });
        if (!isLast) result.push({ kind: "same", text: piece.text.slice(-context) });
        return result;
    });
}
