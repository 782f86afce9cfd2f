// Times of day in time zones, by the browser's own tables.

/**
 * What a clock in the zone shows at an instant.
 * @param {Date} instant
 * @param {string} zone IANA's name.
 * @returns {{ date: string, time: string }} As inputs of the types date and time take it.
 */
export function clockIn(zone, instant) {
    const parts = Object.fromEntries(new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
        timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit",
        hour: "2-digit", minute: "2-digit", second: "2-digit",
    }).formatToParts(instant).map(({ type, value }) => [type, value]));
    return {
        date: `${parts.year.padStart(4, "0")}-${parts.month}-${parts.day}`,
        time: `${parts.hour}:${parts.minute}`,
    };
}

/**
 * How far the zone is ahead of UTC at an instant, in milliseconds.
 * @param {string} zone
 * @param {number} instant
 */
function offset(zone, instant) {
    const { date, time } = clockIn(zone, new Date(instant));
    return Date.parse(`${date}T${time}:00Z`) - Math.floor(instant / 60000) * 60000;
}

/**
 * The instant at which a clock in the zone shows the time. A time that occurs twice is the first one; a
 * time that clocks skip is as much later as they skip.
 * @param {string} zone
 * @param {string} date `2026-11-24`
 * @param {string} time `09:30`
 * @returns {Date | null} `null` if it is not a time.
 */
export function instantOf(zone, date, time) {
    const wall = Date.parse(`${date}T${time}:00Z`);
    if (Number.isNaN(wall)) return null;
    const day = 24 * 3600 * 1000;
    const candidates = [offset(zone, wall - day), offset(zone, wall + day)].map(ahead => wall - ahead);
    const exact = candidates.filter(instant => instant + offset(zone, instant) === wall);
    return new Date(exact.length ? Math.min(...exact) : Math.max(...candidates));
}

/** @returns {string[]} The names of all time zones, this machine's first. */
export function timeZones() {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    const all = /** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? [];
    return [...new Set([own, "UTC", ...all])];
}

/**
 * The day of an instant on this machine's calendar, as a key that sorts.
 * @param {Date} instant
 * @param {string} [zone]
 */
export function dayOf(instant, zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC") {
    return clockIn(zone, instant).date;
}
