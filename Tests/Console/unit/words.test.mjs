import assert from "node:assert/strict";
import test from "node:test";
import { withContext, wordDifference, wordsOf } from "../console/words.js";

const before = pieces => pieces.filter(({ kind }) => kind !== "added").map(({ text }) => text).join("");
const after = pieces => pieces.filter(({ kind }) => kind !== "removed").map(({ text }) => text).join("");

test("a changed word is the only difference", () => {
    assert.deepEqual(wordDifference("The rye bread.", "The wheat bread."), [
        { kind: "same", text: "The " }, { kind: "removed", text: "rye" },
        { kind: "added", text: "wheat" }, { kind: "same", text: " bread." },
    ]);
});

test("an added line leaves the others as they are", () => {
    const pieces = wordDifference("one\nthree\n", "one\ntwo\nthree\n");
    assert.deepEqual(pieces.filter(({ kind }) => kind !== "same"), [{ kind: "added", text: "two\n" }]);
});

test("words keep their marks, and Chinese characters stand alone", () => {
    assert.deepEqual(wordsOf("don't 빵을 漢字"), ["don't", " ", "빵을", " ", "漢", "字"]);
});

test("both texts can be put together from any difference", () => {
    let seed = 3;
    const random = limit => (seed = (seed * 1103515245 + 12345) % 2147483648) % limit;
    const words = ["rye", "bread", "\n", " ", ".", "호밀빵", "👩‍🌾", ""];
    const text = () => Array.from({ length: random(60) }, () => words[random(words.length)]).join("");
    for (let round = 0; round < 500; round += 1) {
        const [a, b] = [text(), text()];
        const pieces = wordDifference(a, b);
        assert.equal(before(pieces), a);
        assert.equal(after(pieces), b);
        pieces.forEach((piece, index) => assert.notEqual(piece.kind, pieces[index + 1]?.kind));
    }
});

test("texts of 2 MB without anything in common are compared in bounded time", () => {
    const a = Array.from({ length: 40_000 }, (_, index) => `alpha ${index}\n`).join("");
    const b = Array.from({ length: 40_000 }, (_, index) => `beta ${index * 7}\n`).join("");
    const start = process.cpuUsage().user;
    const pieces = wordDifference(a, b);
    assert.equal(before(pieces), a);
    assert.equal(after(pieces), b);
    assert.ok((process.cpuUsage().user - start) / 1e6 < 5);
});

test("what is the same is shortened to its surroundings", () => {
    const pieces = wordDifference("a ".repeat(500) + "x" + " b".repeat(500), "a ".repeat(500) + "y" + " b".repeat(500));
    const shown = withContext(pieces, 20);
    assert.deepEqual(shown.map(({ kind }) => kind), ["gap", "same", "removed", "added", "same", "gap"]);
    assert.equal(shown[1].text.length, 20);
});
