import ArticleAPI

/// The readers of a post at its source, by the keys that site generators, WordPress' exporters and
/// their plugins use.
///
/// Keys that are not known are ignored. A post is a draft unless each of the known ones means that
/// all could read it: also if its value is not understood.
struct SourceVisibility {
    /// `nil` if no key says anything.
    private(set) var status: Article.Status?
    private(set) var notes: [FrontMatter.Note] = []
    /// True if the posts below a section page of Hugo are also drafts.
    private(set) var hidesDescendants = false

    /// The flags that are true for posts that not all could read.
    private static let hidingFlags: Set = [
        "draft", "isdraft", "private", "isprivate", "hidden", "ishidden", "unlisted", "protected",
        "unpublished", "membersonly", "paid", "premium", "encrypt", "encrypted",
        "headless", "deleted", "trashed", "eleventyexcludefromcollections", "hide", "disabled",
        "protect", "loginrequired", "ignorepublish",
    ]
    /// Those that are false for it, or the time of publication.
    static let showingFlags: Set = [
        "published", "ispublished", "publish", "public", "ispublic", "listed", "visible", "render",
        "enabled", "routable", "dgpublish",
    ]
    private static let words: Set = [
        "status", "poststatus", "publishstatus", "publicationstatus", "visibility", "access",
        "state", "audience",
    ]
    private static let times = Set(FrontMatter.publicationKeys + FrontMatter.expiryKeys)
    /// Names that, at the beginning of a file without front matter, are unlikely to be prose.
    static let headerKeys = hidingFlags.union(showingFlags).union(words).union(times)
        .union(["password", "archived"])
    /// The parts of a page that Material for MkDocs hides with `hide`, not the page.
    private static let pageParts: Set = [
        "navigation", "toc", "path", "footer", "feedback", "tags",
    ]

    init(_ entries: FrontMatterNode.Entries) {
        for (key, node) in entries { take(key, node) }
    }

    private mutating func take(_ key: String, _ node: FrontMatterNode) {
        let name = FrontMatterFields.name(of: key)
        if Self.hidingFlags.contains(name) {
            guard node.flag != false, node.word != "" else { return }
            if name == "hide", case .list(let items) = node.value,
                items.allSatisfy({ Self.pageParts.contains($0.word ?? "") })
            {
                return
            }
            hide(key, node, isExpected: name.hasSuffix("draft") && node.flag == true)
        } else if Self.showingFlags.contains(name) {
            guard node.flag != true, node.time == nil else { return }
            hide(key, node, isExpected: name.hasPrefix("publish") && node.flag == false)
        } else if Self.words.contains(name) {
            takeWord(key, node)
        } else {
            takeOther(name, key, node)
        }
    }

    private mutating func takeWord(_ key: String, _ node: FrontMatterNode) {
        switch node.word?.lowercased() {
        case "publish", "published", "public", "everyone", "all": status = status ?? .published
        case "archived": restrict(to: .archived)
        case "scheduled", "future": restrict(to: .scheduled)
        case let word: hide(key, node, isExpected: word == "draft")
        }
    }

    private mutating func takeOther(_ name: String, _ key: String, _ node: FrontMatterNode) {
        switch (name, node.value) {
        case ("archived", _) where node.flag == true: restrict(to: .archived)
        case ("permalink", _) where node.flag == false: hide(key, node)
        case ("password", _) where node.flag != false && node.word != "":
            hide(key, node, reason: "it has a password")
        case ("build", .mapping(let entries)):
            for (part, node) in entries where ["list", "render"].contains(part.lowercased()) {
                let word = node.word?.lowercased() ?? "unknown"
                if node.flag != true, word != "always" { hide("\(key).\(part)", node) }
            }
        case ("cascade", .mapping(let entries)): cascade(entries)
        case ("cascade", .list(let items)):
            for case .mapping(let entries) in items.map(\.value) { cascade(entries) }
        case (_, .mapping(let entries)) where FrontMatterFields.sections.contains(name):
            for (key, node) in entries { take(key, node) }
        default: break
        }
    }

    /// Applies a section page to the posts below it, which it hides also by times, which the posts
    /// do not take from it.
    private mutating func cascade(_ entries: FrontMatterNode.Entries) {
        var inner = SourceVisibility(entries)
        for (key, node) in FrontMatterFields.all(entries) {
            let name = FrontMatterFields.name(of: key)
            let isTime = name == "date" || Self.times.contains(name)
            let isFlag = Self.showingFlags.contains(name)
            if isTime && node.word != "" || isFlag && node.time != nil {
                inner.hide("cascade.\(key)", node)
            }
        }
        guard let status = inner.status, status != .published else { return }
        restrict(to: status)
        notes += inner.notes
        hidesDescendants = true
    }

    /// Archived and scheduled posts stay drafts if another key says so.
    private mutating func restrict(to new: Article.Status) {
        if status != .draft, status != .archived || new == .draft { status = new }
    }

    private mutating func hide(
        _ key: String, _ node: FrontMatterNode, isExpected: Bool = false, reason: String? = nil
    ) {
        status = .draft
        guard !isExpected else { return }
        let value = node.word.map { "\"\($0.prefix(40))\"" } ?? "neither a word nor a number"
        notes.append(
            FrontMatter.Note(
                line: node.line, text: reason ?? "\(key.prefix(40)) is \(value)", makesDraft: true))
    }
}

extension FrontMatterNode {
    /// The text of a scalar on one line, empty for `null`; `nil` for lists and mappings.
    var word: String? {
        guard case .scalar(let text, let isPlain) = value else { return nil }
        if isPlain, ["null", "Null", "NULL", "~"].contains(text) { return "" }
        return text.trimmingSpaces.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// A date in one of the formats that are found in posts.
    var time: Timestamp? { word.flatMap { Timestamp(frontMatter: $0) } }

    /// A Boolean in any of YAML's spellings, or 1 or 0; `nil` for other values.
    var flag: Bool? {
        switch word?.lowercased() {
        case "true", "yes", "on", "y", "1": true
        case "false", "no", "off", "n", "0": false
        default: nil
        }
    }
}
