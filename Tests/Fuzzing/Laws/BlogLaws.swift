import ArticleAPI
import ArticleImportExport
import ArticleServices
import ParserLaws

/// The exports of other programs.
enum BlogLaws {
    static func wordPress(_ input: [UInt8]) -> [String] {
        drafts { BlogDrafts(wordPress: input) }
    }

    static func ghost(_ input: [UInt8]) -> [String] { drafts { BlogDrafts(ghost: input) } }

    private static func drafts(_ read: () -> BlogDrafts) -> [String] {
        var laws = LawBook()
        let found = read()
        let again = read()
        laws.expect(
            found.drafts == again.drafts && found.faults == again.faults,
            "an export is read alike twice")
        laws.expect(found.drafts.allSatisfy { !$0.title.isEmpty }, "a post has a title")
        laws.expect(found.faults.allSatisfy { !$0.isEmpty }, "a fault has a reason")
        return laws.broken
    }
}
