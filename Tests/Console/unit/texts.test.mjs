import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { english } from "../console/en.js";
import { korean } from "../console/ko.js";
import { t, useLanguage } from "../console/i18n.js";

const folder = new URL("../console/", import.meta.url);
const sources = readdirSync(folder).filter(name => name.endsWith(".js"))
    .map(name => readFileSync(new URL(name, folder), "utf8"));

test("every text is there in both languages, with the same values", () => {
    assert.deepEqual(Object.keys(korean).sort(), Object.keys(english).sort());
    const names = text => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
    for (const key of Object.keys(english)) {
        if (key.endsWith(".one")) continue;
        assert.deepEqual(names(korean[key]), names(english[key]), key);
    }
});

test("every text that the page asks for exists", () => {
    const asked = sources.flatMap(source => [...source.matchAll(/\bt\("([^"]+)"/g)].map(match => match[1]));
    assert.ok(asked.length > 200);
    for (const key of new Set(asked)) assert.ok(key in english, key);
});

test("every text is asked for", () => {
    const all = sources.join("\n");
    for (const key of Object.keys(english)) {
        const name = key.replace(/\.one$/, "");
        const family = name.replace(/[^.]+$/, "");
        assert.ok(all.includes(`"${name}"`) || (family && all.includes(`\`${family}\${`)), key);
    }
});

test("one is singular where English has a singular", () => {
    useLanguage("en");
    assert.equal(t("list.count", { count: 1 }), "1 article");
    assert.equal(t("list.count", { count: 1234 }), "1,234 articles");
    useLanguage("ko");
    assert.equal(t("list.count", { count: 2 }), "글 2개");
});
