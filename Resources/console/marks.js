// Markdown around the selection of a text.

/** What is put before and after, by key. */
const MARKS = { b: ["**", "**"], i: ["*", "*"], k: ["[", "](https://)"] };

/**
 * Marks the selection as bold, italic or a link; without one, the cursor is put between the marks.
 * @param {HTMLTextAreaElement} area
 * @param {"b" | "i" | "k"} key
 */
export function markSelection(area, key) {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const [open, close] = MARKS[key];
    area.setRangeText(open + value.slice(start, end) + close, start, end, "end");
    if (start === end) area.setSelectionRange(start + open.length, start + open.length);
}
