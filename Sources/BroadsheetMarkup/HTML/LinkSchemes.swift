/// The schemes of URLs that links and images in articles and comments may have, besides relative
/// references: apps hand others to whatever program is registered for them.
///
/// Imports leave others out (`MarkdownFromHTML`), and so does the renderer of Markdown.
package enum LinkSchemes {
    package static let links = ["http", "https", "mailto", "tel", "sms", "xmpp"]
    package static let images = ["http", "https"]
}
