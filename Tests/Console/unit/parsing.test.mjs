import assert from "node:assert/strict";
import test from "node:test";
import { EventParser } from "../console/events.js";
import { isArticleKey, parseRoute, printRoute } from "../console/routes.js";

const STREAM = ": hello\n\nevent: change\nid: 1\ndata: {\"a\":1}\n\nid: 2\n\nevent: ready\r\nid: 3\r\ndata: {}\r\n\r\n"
    + "data: one\ndata:two\n\n";

test("events are the same however the stream is cut", () => {
    const expected = [
        { type: "change", data: "{\"a\":1}", id: "1" }, { type: "ready", data: "{}", id: "3" },
        { type: "message", data: "one\ntwo", id: "3" },
    ];
    for (let size = 1; size <= STREAM.length; size += 1) {
        const parser = new EventParser();
        const events = [];
        for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)));
        assert.deepEqual(events, expected, `pieces of ${size}`);
    }
});

test("an event that is not complete is not there yet", () => {
    const parser = new EventParser();
    assert.deepEqual(parser.push("event: change\ndata: {}\n"), []);
    assert.equal(parser.push("\n").length, 1);
});

test("a route is read as it is printed", () => {
    const text = printRoute(["articles", "a/b ü", "history"], { revision: "3", empty: "" });
    const route = parseRoute(text);
    assert.deepEqual(route.path, ["articles", "a/b ü", "history"]);
    assert.equal(route.query.get("revision"), "3");
    assert.equal(route.query.has("empty"), false);
});

test("a damaged route does not fail", () => {
    assert.deepEqual(parseRoute("#/articles/%zz").path, ["articles", "%zz"]);
    assert.deepEqual(parseRoute("").path, []);
});

test("only ids name articles in addresses", () => {
    const id = "01890a5d-ac96-774b-bcce-b302099a8057";
    for (const text of ["new", id, id.toUpperCase(), `new-${id}`]) assert.ok(isArticleKey(text), text);
    for (const text of ["", "new-", "..", "../users", `${id}/..`, `${id}?x`, `${id}\n`, `x${id}`, "a-slug"]) {
        assert.ok(!isArticleKey(text), text);
    }
});
