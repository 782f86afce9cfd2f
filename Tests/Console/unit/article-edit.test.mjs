import assert from "node:assert/strict";
import test from "node:test";
import { ArticleEdit } from "../console/article-edit.js";

/** A server with one article, a device that keeps text, and a clock that only moves when told. */
class World {
    now = 0;
    timers = [];
    kept = new Map();
    requests = [];
    fault = null;
    /** Called while a request is under way. */
    meanwhile = null;
    article = {
        id: "1", version: "1-a", revision: 1, title: "Rye", summary: "", body: "One.", slug: "rye",
        language: "en", tags: [], authors: [], status: "draft", updatedAt: "2026-11-24T00:00:00Z",
    };
    names = 0;

    around() {
        return {
            owner: "mina", now: () => this.now, uuid: () => `key-${++this.names}`, changed: () => {},
            after: (milliseconds, action) => {
                const timer = { at: this.now + milliseconds, action };
                this.timers.push(timer);
                return () => { this.timers = this.timers.filter(each => each !== timer); };
            },
            keeper: {
                put: async kept => { this.kept.set(kept.key, structuredClone(kept)); },
                remove: async key => { this.kept.delete(key); },
            },
            backend: {
                create: async (draft, key) => {
                    await this.pass("create", draft, key);
                    this.article = { ...this.article, ...draft, tags: [], id: "2", version: "1-z", slug: "made" };
                    return this.article;
                },
                update: async (id, patch, version, key) => {
                    await this.pass("update", patch, key);
                    if (version !== this.article.version) throw { status: 412 };
                    return this.change(patch);
                },
                fetch: async () => ({ ...this.article }),
            },
        };
    }

    async pass(kind, body, key) {
        this.requests.push({ kind, body, key });
        this.meanwhile?.();
        if (this.fault) throw this.fault;
    }

    /** What the server does with a patch; also what somebody else does. */
    change(patch) {
        const revision = this.article.revision + 1;
        this.article = { ...this.article, ...patch, revision, version: `${revision}-a` };
        return { ...this.article };
    }

    async wait(milliseconds) {
        this.now += milliseconds;
        const due = this.timers.filter(timer => timer.at <= this.now);
        this.timers = this.timers.filter(timer => timer.at > this.now);
        for (const { action } of due) action();
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
}

test("a draft is saved by itself after a pause, and nothing is kept then", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    edit.set("body", "One. Two.");
    assert.equal(edit.state, "changed");
    await world.wait(300);
    assert.equal(world.kept.get("1").mine.body, "One. Two.");
    await world.wait(1500);
    assert.equal(world.article.body, "One. Two.");
    assert.equal(edit.state, "saved");
    assert.equal(world.kept.size, 0);
});

test("what is typed while a request is under way is saved by the next one", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    edit.set("body", "A");
    world.meanwhile = () => { world.meanwhile = null; edit.set("body", "AB"); };
    await world.wait(1500);
    assert.equal(world.article.body, "A");
    assert.equal(edit.mine.body, "AB");
    assert.equal(edit.state, "changed");
    await world.wait(1500);
    assert.equal(world.article.body, "AB");
    assert.equal(edit.state, "saved");
});

test("what is public is kept on the device until the person updates it", async () => {
    const world = new World();
    world.article.status = "published";
    const edit = new ArticleEdit(world.around(), world.article, "1");
    edit.set("title", "Rye bread");
    await world.wait(60_000);
    assert.deepEqual(world.requests, []);
    assert.equal(edit.state, "kept");
    assert.equal(world.kept.get("1").mine.title, "Rye bread");
    assert.equal(await edit.save(), true);
    assert.equal(world.article.title, "Rye bread");
});

test("a new article waits for its title, and gets an id with it", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), null, "new-1");
    edit.set("body", "Text");
    await world.wait(10_000);
    assert.equal(edit.state, "untitled");
    assert.equal(world.kept.get("new-1").mine.body, "Text");
    edit.set("title", "Rye");
    await world.wait(3000);
    assert.equal(edit.id, "2");
    assert.equal(edit.mine.slug, "made");
    assert.equal(world.kept.size, 0);
});

test("a request whose response was lost is repeated with its key", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    world.fault = { isOffline: true };
    edit.set("body", "A");
    await world.wait(1500);
    assert.equal(edit.state, "offline");
    assert.equal(world.kept.get("1").mine.body, "A");
    world.fault = null;
    assert.equal(await edit.save(), true);
    assert.equal(world.requests[0].key, world.requests[1].key);
    edit.set("body", "B");
    await edit.save();
    assert.notEqual(world.requests[1].key, world.requests[2].key);
});

test("what could not be saved is sent again by itself", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    world.fault = { status: 503 };
    edit.set("body", "A");
    await world.wait(1500);
    assert.equal(edit.state, "offline");
    world.fault = null;
    await world.wait(5000);
    assert.equal(edit.state, "saved");
    assert.equal(world.requests.length, 2);
});

test("two people who change different fields are both in the result", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    edit.set("body", "Mine.");
    world.change({ title: "Theirs" });
    await world.wait(1500);
    assert.equal(edit.state, "conflict");
    assert.deepEqual(edit.conflict.differences.map(({ field, choice }) => [field, choice]),
        [["title", "theirs"], ["body", "mine"]]);
    edit.set("summary", "Typed meanwhile");
    assert.equal(edit.state, "conflict");
    assert.equal(await edit.resolve(edit.conflict.differences), true);
    assert.equal(world.article.title, "Theirs");
    assert.equal(world.article.body, "Mine.");
});

test("equal values do not conflict", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    edit.set("body", "Same.");
    world.change({ body: "Same." });
    await world.wait(1500);
    assert.equal(edit.state, "saved");
    assert.equal(edit.conflict, null);
});

test("what the server rejects stays, and is sent again only when the person changes it", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    world.fault = { status: 422, errors: [] };
    edit.set("body", "Bad");
    await world.wait(1500);
    assert.equal(edit.state, "rejected");
    assert.equal(world.kept.get("1").mine.body, "Bad");
    await world.wait(60_000);
    assert.equal(world.requests.length, 1);
    world.fault = null;
    edit.set("body", "Good");
    await world.wait(1500);
    assert.equal(edit.state, "saved");
});

test("an article that somebody else deleted becomes a new draft on demand", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    world.fault = { status: 404 };
    edit.set("body", "Mine.");
    await world.wait(1500);
    assert.equal(edit.state, "gone");
    world.fault = null;
    assert.equal(await edit.saveAsNew(), true);
    assert.equal(edit.id, "2");
    assert.equal(world.article.body, "Mine.");
});

test("kept text comes back, and meets what others saved meanwhile", async () => {
    const world = new World();
    const first = new ArticleEdit(world.around(), world.article, "1");
    first.set("body", "Mine.");
    await first.close();
    const kept = world.kept.get("1");
    const second = new ArticleEdit(world.around(), world.article, "1");
    assert.equal(second.resume(kept), true);
    assert.equal(second.mine.body, "Mine.");
    assert.equal(second.state, "changed");
    const third = new ArticleEdit(world.around(), world.change({ body: "Theirs." }), "1");
    assert.equal(third.resume(kept), true);
    assert.equal(third.state, "conflict");
    assert.equal(third.conflict.differences[0].choice, null);
});

test("a status is part of the edit only once the server has taken it", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    world.fault = { status: 422, errors: [] };
    assert.equal(await edit.save({ status: "published" }), false);
    assert.equal(edit.mine.status, "draft");
    world.fault = null;
    assert.equal(await edit.save({ status: "published" }), true);
    assert.equal(edit.mine.status, "published");
});

test("undo reaches what was replaced when a conflict was resolved", async () => {
    const world = new World();
    const edit = new ArticleEdit(world.around(), world.article, "1");
    edit.set("title", "Mine");
    world.change({ title: "Theirs" });
    await world.wait(1500);
    edit.conflict.differences[0].choice = "theirs";
    await edit.resolve(edit.conflict.differences);
    assert.equal(edit.mine.title, "Theirs");
    edit.undo();
    assert.equal(edit.mine.title, "Mine");
});
