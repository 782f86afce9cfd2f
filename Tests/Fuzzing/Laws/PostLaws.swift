import ArticleAPI
import ArticleImportExport
import ArticleServices
import ParserLaws

/// A Markdown file with front matter in any form; the first line of the input is the file's name.
enum PostLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let end = input.firstIndex(of: 0x0A) ?? 0
        let name = String(decoding: input[..<end], as: UTF8.self)
        let bytes = Array(input[end...].dropFirst())
        let lineCount = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
        do throws(FrontMatterError) {
            let post = try MarkdownPost(bytes, name: name)
            laws.expect(bytes.ends(with: post.body.utf8), "the body is the end of the file")
            laws.expect((1...lineCount + 1).contains(post.bodyLine), "the body begins on a line")
            laws.expect(!post.title.isEmpty || name.isEmpty, "a post with a name has a title")
            for note in post.frontMatter.notes {
                laws.expect((1...lineCount).contains(note.line), "a note has a line")
            }
            laws.expect(
                (try? MarkdownPost(bytes, name: name)) == post, "a post is read alike twice")
        } catch {
            laws.expect((1...lineCount).contains(error.line), "an error has a line: \(error)")
            laws.expect(!error.description.isEmpty, "an error has a description")
        }
        if let draft = asDraft(bytes), let post = try? MarkdownPost(draft, name: name) {
            laws.expect(post.frontMatter.status == .draft, "a draft is a draft or cannot be read")
        }
        return laws.broken
    }

    /// The file with `draft: true` at the beginning of its front matter; `nil` if it has none.
    private static func asDraft(_ bytes: [UInt8]) -> [UInt8]? {
        let forms = [
            ("---\n", "draft: true\n"), ("+++\n", "draft = true\n"), ("{\n", "\"draft\": true,\n"),
        ]
        return forms.first { bytes.starts(with: $0.0.utf8) }
            .map { Array($0.utf8) + Array($1.utf8) + bytes.dropFirst($0.utf8.count) }
    }
}

extension [UInt8] {
    func ends(with suffix: some Collection<UInt8>) -> Bool {
        self.suffix(suffix.count).elementsEqual(suffix)
    }
}
