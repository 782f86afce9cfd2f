import ArticleAPI
import ArticleServices
import ParserLaws

/// A Markdown file with front matter; the first line of the input is the file's name.
enum PostLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = LawBook()
        let end = input.firstIndex(of: 0x0A) ?? 0
        let name = String(decoding: input[..<end], as: UTF8.self)
        let bytes = Array(input[end...].dropFirst())
        let lineCount = bytes.count { $0 == 0x0A } + 1
        do throws(FrontMatterError) {
            let post = try MarkdownPost(bytes, name: name)
            laws.expect(bytes.ends(with: post.body.utf8), "the body is the end of the file")
            laws.expect((1...lineCount + 1).contains(post.bodyLine), "the body begins on a line")
            laws.expect(!post.title.isEmpty || name.isEmpty, "a post with a name has a title")
            for leftOut in post.frontMatter.leftOut {
                laws.expect((1...lineCount).contains(leftOut.line), "an omission has a line")
            }
            laws.expect(
                (try? MarkdownPost(bytes, name: name)) == post, "a post is read alike twice")
        } catch {
            laws.expect((1...lineCount).contains(error.line), "an error has a line: \(error)")
            laws.expect(!error.description.isEmpty, "an error has a description")
        }
        return laws.broken
    }
}

extension [UInt8] {
    func ends(with suffix: some Collection<UInt8>) -> Bool {
        self.suffix(suffix.count).elementsEqual(suffix)
    }
}
