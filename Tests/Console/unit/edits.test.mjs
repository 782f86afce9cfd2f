import assert from "node:assert/strict";
import test from "node:test";
import {
    changedFields, compare, contentOf, draftOf, emptyContent, merged, patchBetween,
} from "../console/edits.js";

const base = { ...emptyContent(), title: "Rye", body: "One.", tags: ["bread"], slug: "rye" };

test("a patch names what has changed and nothing else", () => {
    assert.deepEqual(patchBetween(base, { ...base, title: "Rye bread", tags: [] }),
        { title: "Rye bread", tags: [] });
    assert.equal(patchBetween(base, { ...base }), null);
});

test("a patch removes a picture, and an alternative text that is empty", () => {
    const picture = { ...base, heroImage: { url: "https://a.example/b.png", alternativeText: "A loaf" } };
    assert.deepEqual(patchBetween(picture, base), { heroImage: null });
    const silent = { ...base, heroImage: { url: "https://a.example/b.png", alternativeText: "" } };
    assert.deepEqual(patchBetween(picture, silent),
        { heroImage: { url: "https://a.example/b.png", alternativeText: null } });
});

test("an emptied slug and language are left to the server", () => {
    assert.equal(patchBetween(base, { ...base, slug: "" }), null);
});

test("known authors are sent by id and new ones by name", () => {
    const authors = [{ id: "1", name: "Mina" }, { name: "Jun" }];
    assert.deepEqual(patchBetween(base, { ...base, authors }), { authors: [{ id: "1" }, { name: "Jun" }] });
});

test("a draft has no empty values", () => {
    assert.deepEqual(draftOf({ ...emptyContent(), title: "Rye" }), { title: "Rye", status: "draft" });
});

test("an article's content is what can be edited of it", () => {
    const content = contentOf({
        id: "1", title: "Rye", tags: [{ key: "bread", name: "Bread" }],
        authors: [{ id: "7", name: "Mina", revision: 3 }], heroImage: { url: "https://a.example/b" },
    });
    assert.deepEqual(content.tags, ["Bread"]);
    assert.deepEqual(content.authors, [{ id: "7", name: "Mina" }]);
    assert.deepEqual(content.heroImage, { url: "https://a.example/b", alternativeText: "" });
    assert.equal(content.status, "draft");
});

test("a field that one side changed is decided for it, one that both changed is left open", () => {
    const mine = { ...base, title: "Mine", body: "Mine." };
    const theirs = { ...base, title: "Theirs", tags: ["bread", "rye"] };
    const differences = compare(base, mine, theirs);
    assert.deepEqual(differences.map(({ field, choice }) => [field, choice]),
        [["title", null], ["body", "mine"], ["tags", "theirs"]]);
    differences[0].choice = "theirs";
    const result = merged(theirs, differences);
    assert.equal(result.title, "Theirs");
    assert.equal(result.body, "Mine.");
    assert.deepEqual(result.tags, ["bread", "rye"]);
});

test("the same change on both sides is not a difference", () => {
    const both = { ...base, title: "Same" };
    assert.deepEqual(compare(base, both, { ...both }), []);
    assert.deepEqual(changedFields(both, { ...both }), []);
});
