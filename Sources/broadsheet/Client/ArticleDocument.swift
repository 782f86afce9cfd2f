import ArticleAPI
import ArticleImportExport
import ArticleServices
import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// An article as an editable file: front matter and Markdown, in the format of `import`.
struct ArticleDocument {
    let draft: Article.Draft

    /// - Throws: a failure that names the invalid line.
    init(_ bytes: [UInt8], name: String) throws(CommandFailure) {
        let post: MarkdownPost
        do throws(FrontMatterError) {
            post = try MarkdownPost(bytes, name: name)
        } catch { throw CommandFailure(.dataError, "\(name):\(error.line): \(error)") }
        // Who writes it can mend it.
        if let note = post.frontMatter.notes.first(where: \.makesDraft) {
            throw CommandFailure(.dataError, "\(name):\(note.line): \(note.text)")
        }
        var draft = post.draft
        draft.slug = post.frontMatter.slug
        if let fault = draft.faults.first {
            throw CommandFailure(.dataError, "\(name): \(fault.path) \(fault.message)")
        }
        self.draft = draft
    }

    /// Returns the draft of a new article: one to be published in the future is scheduled, as by
    /// `import`.
    func newDraft(at now: Timestamp) -> Article.Draft {
        var new = draft
        if new.status == .published, let time = new.publishedAt, time > now {
            new.status = .scheduled
        }
        return new
    }

    /// The differences to the document that this one was made from.
    func changes(from old: ArticleDocument) -> Article.Changes {
        var new = draft
        // Many editors append a line feed to a file.
        if new.body == old.draft.body + "\n" { new.body = old.draft.body }
        return Article.Changes(from: old.draft, to: new)
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
