// Words, dates and numbers in the person's language.

import { english } from "./en.js";
import { korean } from "./ko.js";

/** @type {Record<string, Record<string, string>>} */
const TABLES = { en: english, ko: korean };

let language = "en";

/** @returns {[code: string, name: string][]} */
export const languages = () => [["en", "English"], ["ko", "한국어"]];
export const currentLanguage = () => language;

/** @param {string} code */
export function useLanguage(code) {
    language = TABLES[code] ? code : "en";
}

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values] What takes the places of `{name}`. `count` also chooses
 *     `key.one` where there is such a text.
 */
export function t(key, values = {}) {
    const table = TABLES[language];
    const singular = values.count === 1 ? table[`${key}.one`] : undefined;
    const text = singular ?? table[key] ?? english[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (_, name) => {
        const value = values[name];
        return typeof value === "number" ? number(value) : String(value ?? "");
    });
}

/** @param {string} key */
export const hasText = key => key in TABLES[language];

/**
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);

/** @param {number} value */
export function bytes(value) {
    const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
    const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), 3);
    return number(value / 1000 ** power, {
        style: "unit", unit: units[power], unitDisplay: power ? "short" : "long",
        maximumFractionDigits: value < 10 ** (3 * power + 1) && power ? 1 : 0,
    });
}

/**
 * @param {string | number | Date} instant
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function date(instant, options = { dateStyle: "medium", timeStyle: "short" }) {
    return new Intl.DateTimeFormat(language, options).format(new Date(instant));
}

/**
 * Such as "3 minutes ago".
 * @param {string | number | Date} instant
 * @param {number} [now]
 */
export function ago(instant, now = Date.now()) {
    const seconds = (new Date(instant).getTime() - now) / 1000;
    /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
    const units = [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600],
        ["minute", 60]];
    const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    for (const [unit, length] of units) {
        if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
    }
    return t("now");
}
