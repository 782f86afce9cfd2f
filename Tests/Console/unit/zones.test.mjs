import assert from "node:assert/strict";
import test from "node:test";
import { clockIn, dayOf, instantOf } from "../console/zones.js";

const utc = (...parts) => instantOf(...parts).toISOString();

test("a time in a zone is an instant", () => {
    assert.equal(utc("Asia/Seoul", "2026-11-24", "09:30"), "2026-11-24T00:30:00.000Z");
    assert.equal(utc("Europe/Berlin", "2026-07-01", "12:00"), "2026-07-01T10:00:00.000Z");
    assert.equal(utc("UTC", "2026-02-28", "23:59"), "2026-02-28T23:59:00.000Z");
});

test("a time that occurs twice is the first one", () => {
    assert.equal(utc("Europe/Berlin", "2026-10-25", "02:30"), "2026-10-25T00:30:00.000Z");
});

test("a time that clocks skip is as much later", () => {
    const instant = instantOf("Europe/Berlin", "2026-03-29", "02:30");
    assert.equal(instant.toISOString(), "2026-03-29T01:30:00.000Z");
    assert.deepEqual(clockIn("Europe/Berlin", instant), { date: "2026-03-29", time: "03:30" });
});

test("every hour of two years is found again in zones with odd offsets", () => {
    for (const zone of ["Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"]) {
        for (let hour = 0; hour < 17_520; hour += 7) {
            const instant = new Date(Date.UTC(2026, 0, 1) + hour * 3_600_000);
            const { date, time } = clockIn(zone, instant);
            const found = instantOf(zone, date, time);
            assert.deepEqual(clockIn(zone, found), { date, time }, `${zone} ${instant.toISOString()}`);
        }
    }
});

test("what is not a time is nothing", () => {
    assert.equal(instantOf("UTC", "", "09:30"), null);
});

test("a day is that of the zone", () => {
    assert.equal(dayOf(new Date("2026-11-24T20:00:00Z"), "Asia/Seoul"), "2026-11-25");
});
