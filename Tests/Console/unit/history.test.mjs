import assert from "node:assert/strict";
import test from "node:test";
import { emptyContent } from "../console/edits.js";
import { EditHistory, spliceBetween } from "../console/history.js";

/** Types texts one after the other, each at its time. */
function typed(history, content, field, texts, times) {
    texts.forEach((text, index) => {
        history.record(field, content[field], text, times[index]);
        content[field] = text;
    });
}

function stepBack(history, content) {
    const step = history.undo(content);
    if (step) content[step.field] = step.value;
    return step;
}

test("what is typed without a pause is one step", () => {
    const history = new EditHistory();
    const content = emptyContent();
    typed(history, content, "body", ["a", "ab", "abc", "abcd"], [0, 100, 200, 5000]);
    stepBack(history, content);
    assert.equal(content.body, "abc");
    stepBack(history, content);
    assert.equal(content.body, "");
    assert.equal(history.canUndo, false);
    const forward = history.redo(content);
    assert.equal(forward.value, "abc");
});

test("deleting backwards is one step, and a new edit ends what can be redone", () => {
    const history = new EditHistory();
    const content = { ...emptyContent(), body: "bread" };
    typed(history, content, "body", ["brea", "bre", "br"], [0, 10, 20]);
    stepBack(history, content);
    assert.equal(content.body, "bread");
    assert.equal(history.canRedo, true);
    typed(history, content, "body", ["bread!"], [30]);
    assert.equal(history.canRedo, false);
});

test("fields other than texts are taken back as a whole", () => {
    const history = new EditHistory();
    const content = emptyContent();
    typed(history, content, "tags", [["a"], ["a", "b"]], [0, 1]);
    stepBack(history, content);
    assert.deepEqual(content.tags, ["a"]);
});

test("random edits can be taken back and done again, one by one", () => {
    let seed = 7;
    const random = limit => (seed = (seed * 1103515245 + 12345) % 2147483648) % limit;
    const history = new EditHistory();
    const content = emptyContent();
    const pieces = ["a", "é", "👩‍🌾", "구", "\n", " ", ""];
    for (let round = 0; round < 400; round += 1) {
        const text = content.body;
        const at = random(text.length + 1);
        const end = Math.min(text.length, at + random(4));
        typed(history, content, "body",
            [text.slice(0, at) + pieces[random(pieces.length)] + text.slice(end)], [round * random(900)]);
    }
    const last = content.body;
    while (stepBack(history, content));
    assert.equal(content.body, "");
    for (let step; (step = history.redo(content));) content[step.field] = step.value;
    assert.equal(content.body, last);
});

test("a history is bounded in steps", () => {
    const history = new EditHistory();
    const content = emptyContent();
    for (let round = 0; round < 1500; round += 1) {
        typed(history, content, "body", [content.body + "x"], [round * 2000]);
    }
    let steps = 0;
    while (stepBack(history, content)) steps += 1;
    assert.equal(steps, 1000);
});

test("a replacement does not take a pair of surrogates apart", () => {
    assert.deepEqual(spliceBetween("a👩b", "a👨b"), { at: 1, removed: "👩", inserted: "👨" });
    assert.deepEqual(spliceBetween("aaa", "aa"), { at: 2, removed: "a", inserted: "" });
});

test("a key in a text of 2 MB costs little", () => {
    const text = "word ".repeat(420_000);
    const after = text.slice(0, 1_000_000) + "x" + text.slice(1_000_000);
    const start = process.cpuUsage().user;
    for (let round = 0; round < 10; round += 1) spliceBetween(text, after);
    const each = (process.cpuUsage().user - start) / 10 / 1000;
    assert.ok(each < 50, `${each} ms`);
});
