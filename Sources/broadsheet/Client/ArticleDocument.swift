import ArticleAPI
import ArticleServices
import Glibc
import Platform

/// An article as an editable file: front matter and Markdown, in the format of `import`.
struct ArticleDocument {
    let draft: Article.Draft

    /// - Throws: a failure that names the invalid line.
    init(_ bytes: [UInt8], name: String) throws(CommandFailure) {
        let post: MarkdownPost
        do throws(FrontMatterError) {
            post = try MarkdownPost(bytes, name: name)
        } catch { throw CommandFailure(.dataError, "\(name):\(error.line): \(error)") }
        var draft = post.draft
        draft.slug = post.frontMatter.slug
        if let fault = draft.faults.first {
            throw CommandFailure(.dataError, "\(name): \(fault.path) \(fault.message)")
        }
        self.draft = draft
    }

    /// The document of an article, which parses to the same article.
    static func text(of article: Article) -> [UInt8] {
        var lines = ["---", "title: \(quoted(article.title))", "slug: \(quoted(article.slug))"]
        if !article.summary.isEmpty { lines.append("summary: \(quoted(article.summary))") }
        lines.append("lang: \(article.language)")
        lines.append("status: \(statusName(article.status))")
        if let time = article.publishedAt { lines.append("date: \(time)") }
        if !article.authors.isEmpty {
            lines.append(
                "authors: [\(article.authors.map { quoted($0.name) }.joined(separator: ", "))]")
        }
        if !article.tags.isEmpty {
            lines.append("tags: [\(article.tags.map { quoted($0.name) }.joined(separator: ", "))]")
        }
        lines += ["---", "", article.body ?? ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The differences to the document that this one was made from.
    func changes(from old: ArticleDocument) -> Article.Changes {
        let (new, old) = (draft, old.draft)
        var changes = Article.Changes()
        if new.title != old.title { changes.title = .set(new.title) }
        if let slug = new.slug, slug != old.slug { changes.slug = .set(slug) }
        if new.summary != old.summary { changes.summary = .set(new.summary) }
        // Many editors append a line feed to a file.
        if new.body != old.body, new.body != old.body + "\n" { changes.body = .set(new.body) }
        if let language = new.language, language != old.language {
            changes.language = .set(language)
        }
        if let status = new.status, status != old.status { changes.status = .set(status) }
        if new.publishedAt != old.publishedAt {
            changes.publishedAt = new.publishedAt.map { .set($0) } ?? .clear
        }
        if new.tags != old.tags { changes.tags = .set(new.tags) }
        if new.authors != old.authors { changes.authors = .set(new.authors) }
        return changes
    }

    /// A JSON string is a YAML string (YAML 1.2.2 §1.2).
    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func statusName(_ status: Article.Status) -> String {
        switch status {
        case .draft: "draft"
        case .scheduled: "scheduled"
        case .published: "published"
        case .archived: "archived"
        case .unknown(let name): name
        }
    }
}

/// Runs the user's editor (`VISUAL`, `EDITOR` or vi) on a private file.
enum Editor {
    /// Lets the user edit the text, and returns the file's content when the editor exits.
    static func edit(_ text: [UInt8]) throws(CommandFailure) -> [UInt8] {
        let base = Environment.value("TMPDIR") ?? "/tmp"
        let file = try Files.makeTemporary(
            "\(base)/broadsheet", ending: ".md", for: "a file in \(base)")
        defer {
            close(file.descriptor)
            unlink(file.path)
        }
        try Console.write(text, to: file.descriptor)
        try run(Environment.value("VISUAL") ?? Environment.value("EDITOR") ?? "vi", file.path)
        return try Files.read(file.path)
    }

    /// The variable may contain arguments (`code --wait`), which the shell splits; the path is
    /// passed separately.
    private static func run(_ editor: String, _ path: String) throws(CommandFailure) {
        let process: ChildProcess
        do throws(SystemError) {
            process = try ChildProcess(
                "/bin/sh", ["sh", "-c", "\(editor) \"$@\"", editor, path],
                environment: Environment.all { _ in true })
        } catch { throw CommandFailure(.systemError, "\(editor): \(error)") }
        guard process.wait() == 0 else {
            throw CommandFailure(.unavailable, "\(editor) failed; nothing was changed")
        }
    }
}
