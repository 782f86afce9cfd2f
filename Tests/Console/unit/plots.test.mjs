import assert from "node:assert/strict";
import test from "node:test";
import { linePath } from "../console/plots.js";

test("a value without neighbours can be seen, wherever it is", () => {
    for (const [values, count] of [[[5], 240], [[5], 1], [[5, null, 5, null], 4], [[null, 7, null], 3]]) {
        const path = linePath(values, 7, count);
        const dashes = [...path.matchAll(/M([\d.]+) ([\d.]+)h(\d+)/g)];
        assert.equal(dashes.length, values.filter(value => value !== null).length, path);
        for (const [, x, y, length] of dashes.map(dash => dash.map(Number))) {
            assert.ok(length >= 4 && x >= 0 && x + length <= 240 && y >= 0 && y <= 56, path);
        }
    }
});

test("values with neighbours are a line, with gaps where there are none", () => {
    assert.equal(linePath([0, 1, null, 1, 1], 1, 5), "M0.0 54.0L60.0 2.0M180.0 2.0L240.0 2.0");
    assert.equal(linePath([], 1, 240), "");
});
