// Where one is in the page, and what one may do there.

import { currentSession } from "./api.js";

/**
 * @typedef {object} View
 * @property {() => void} [shown] Called once it is in the document.
 * @property {() => void} [close]
 * @property {() => Promise<boolean>} [mayLeave]
 */

const RANKS = ["reader", "author", "editor", "admin"];

/** @param {string} role */
export const may = role => RANKS.indexOf(currentSession().role ?? "") >= RANKS.indexOf(role);

/** The fragment of what is shown; `null` where nothing is. */
export const here = { hash: /** @type {string | null} */ (null) };

/**
 * Gives what is shown another address, as when a filter changes.
 * @param {string} route
 */
export function nameRoute(route) {
    history.replaceState(null, "", route);
    here.hash = location.hash;
}
