// What an article has besides its text: address, tags, authors, language, picture, comments.

import { chipField } from "./chips.js";
import { field, h, newID, select, setError } from "./dom.js";
import { date, t } from "./i18n.js";
import { authors, completions, tags } from "./known.js";

/**
 * @typedef {import("./article-edit.js").ArticleEdit} ArticleEdit
 * @typedef {import("./edits.js").Field} Field
 */

/**
 * @param {ArticleEdit} edit
 * @param {(field: Field) => void} typed
 */
export function detailsPanel(edit, typed) {
    /**
     * @param {Field} name
     * @param {any} value
     */
    const set = (name, value) => {
        edit.set(name, value);
        typed(name);
    };
    const slug = h("input", {
        type: "text", id: newID(), maxlength: 100, spellcheck: "false", autocapitalize: "none",
        oninput: () => set("slug", slug.value.trim()),
    });
    const language = h("input", {
        type: "text", id: newID(), maxlength: 35, list: "languages", spellcheck: "false",
        autocapitalize: "none", oninput: () => set("language", language.value.trim()),
    });
    const hero = h("input", {
        type: "url", id: newID(), maxlength: 2000, placeholder: "https://", oninput: () => setHero(),
    });
    const heroText = h("input", {
        type: "text", id: newID(), maxlength: 500, dir: "auto", oninput: () => setHero(),
    });
    const picture = h("img", { class: "hero", alt: "", hidden: true });
    picture.addEventListener("error", () => { picture.hidden = true; });
    const policy = select([["", t("policy.default")], ["open", t("policy.open")],
        ["moderated", t("policy.moderated")], ["closed", t("policy.closed")]], "", {
        id: newID(), onchange: () => set("comments", policy.value || null),
    });
    const tagField = chipField({
        label: t("field.tags"), values: edit.mine.tags, changed: values => set("tags", values),
        complete: typedText => completions(tags(), typedText),
    });
    const authorField = chipField({
        label: t("field.authors"), values: edit.mine.authors.map(({ name }) => name), limit: 20,
        changed: async names => {
            const known = await authors().catch(() => []);
            set("authors", names.map(name =>
                edit.mine.authors.find(author => author.name === name)
                ?? known.find(author => author.name === name) ?? { name })
                .map(({ id, name }) => (id ? { id, name } : { name })));
        },
        complete: typedText => completions(authors(), typedText),
    });
    const facts = h("p", { class: "hint" });

    function setHero() {
        const url = hero.value.trim();
        const isAddress = !url || /^https?:\/\/[^\s/]/.test(url);
        setError(hero, isAddress ? "" : t("details.notAddress"));
        if (isAddress) set("heroImage", url ? { url, alternativeText: heroText.value } : null);
        showPicture();
    }
    function showPicture() {
        const url = edit.mine.heroImage?.url ?? "";
        const isShown = /^https:\/\/[^\s/]/.test(url);
        if (isShown && picture.getAttribute("src") !== url) picture.src = url;
        picture.hidden = !isShown;
        picture.alt = edit.mine.heroImage?.alternativeText ?? "";
    }
    /** @param {HTMLInputElement | HTMLSelectElement} control @param {string} value */
    function put(control, value) {
        if (control.value !== value && document.activeElement !== control) control.value = value;
    }
    let shownTags = edit.mine.tags;
    let shownAuthors = edit.mine.authors;

    return {
        element: h("aside", { class: "details", "aria-label": t("editor.details"), hidden: true },
            h("h2", {}, t("editor.details")),
            tagField.element, authorField.element,
            field(t("field.slug"), slug, { hint: t("details.slugHint") }),
            field(t("field.language"), language, { hint: t("details.languageHint") }),
            h("datalist", { id: "languages" },
                ["en", "ko", "de", "fr", "es", "ja", "zh-Hans", "zh-Hant", "ar", "he", "pt", "it"]
                    .map(value => h("option", { value }))),
            field(t("field.heroImage"), hero), picture,
            field(t("details.heroText"), heroText, { hint: t("details.heroTextHint") }),
            field(t("field.comments"), policy), facts),
        show() {
            const { mine, article } = edit;
            put(slug, mine.slug);
            put(language, mine.language);
            put(hero, mine.heroImage?.url ?? "");
            put(heroText, mine.heroImage?.alternativeText ?? "");
            put(policy, mine.comments ?? "");
            if (mine.tags !== shownTags) tagField.show(shownTags = mine.tags);
            if (mine.authors !== shownAuthors) {
                shownAuthors = mine.authors;
                authorField.show(mine.authors.map(({ name }) => name));
            }
            showPicture();
            facts.textContent = article ? [
                t("details.words", { count: article.wordCount }),
                t("details.minutes", { count: article.readingMinutes }),
                t("details.revision", { number: article.revision }),
                mine.publishedAt ? t(mine.status === "scheduled" ? "details.due" : "details.published",
                    { when: date(mine.publishedAt) }) : "",
            ].filter(Boolean).join(" · ") : "";
        },
        /**
         * @param {string} pointer
         * @param {string} detail
         */
        fault(pointer, detail) {
            const control = /** @type {Record<string, HTMLElement>} */ ({
                "/slug": slug, "/language": language, "/heroImage/url": hero,
                "/heroImage/alternativeText": heroText, "/comments": policy,
            })[pointer];
            if (control) setError(control, detail);
        },
    };
}
