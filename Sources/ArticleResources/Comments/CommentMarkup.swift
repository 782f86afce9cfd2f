import ArticleServiceCore

/// HTML of comments, made from the renderer's: links are marked, so that search engines do not
/// count them, and images become links, as a browser that loads one reports the reader to its
/// server.
enum CommentMarkup {
    /// Identifies the renderer and these changes: HTML with another name is rendered again.
    static let renderer = "\(MarkdownRenderer.name) comments-1"

    private static let opening = Array(#"<a rel="nofollow ugc" href=""#.utf8)

    /// - Parameter html: the renderer's, in which `<` and `>` only delimit tags and comments, `"`
    ///   only delimits attributes, and images have `src` and `alt` in this order.
    static func marked(_ html: String) -> String {
        let bytes = Array(html.utf8)
        var marked: [UInt8] = []
        marked.reserveCapacity(bytes.count)
        var start = 0
        var isInLink = false
        // Invariant: `marked` is made from bytes[..<start], which does not end inside a tag.
        while let tagStart = bytes[start...].firstIndex(of: UInt8(ascii: "<")),
            let tagEnd = bytes[tagStart...].firstIndex(of: UInt8(ascii: ">"))
        {
            marked += bytes[start..<tagStart]
            start = tagEnd + 1
            let tag = bytes[tagStart..<start]
            if tag.starts(with: "<img ".utf8) {
                marked += link(instead: tag, isInLink: isInLink)
            } else if tag.starts(with: "<a href=\"".utf8) {
                isInLink = true
                marked += opening
                marked += tag.dropFirst(9)
            } else {
                if tag.elementsEqual("</a>".utf8) { isInLink = false }
                marked += tag
            }
        }
        return String(decoding: marked + bytes[start...], as: UTF8.self)
    }

    /// A link to an image with its alternative text; only the text where there can be no link.
    private static func link(instead image: ArraySlice<UInt8>, isInLink: Bool) -> [UInt8] {
        let parts = image.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count > 4 else { return [] }
        let (url, text) = (parts[1], parts[3])
        let scheme = url.prefix(5).map { $0 | 0x20 }
        guard !isInLink, !url.isEmpty, !scheme.elementsEqual("data:".utf8) else {
            return Array(text)
        }
        var link = opening
        link += url
        link += Array("\">".utf8)
        link += text.isEmpty ? url : text
        link += Array("</a>".utf8)
        return link
    }
}
