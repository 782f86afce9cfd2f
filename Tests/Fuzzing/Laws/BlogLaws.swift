import ArticleAPI
import ArticleImportExport
import ArticleServices
import ParserLaws

/// The exports of other programs.
enum BlogLaws {
    static func wordPress(_ input: [UInt8]) -> [String] {
        drafts { BlogExportReader(wordPress: input) }
    }

    static func ghost(_ input: [UInt8]) -> [String] { drafts { BlogExportReader(ghost: input) } }

    private static func drafts(_ read: () -> BlogExportReader) -> [String] {
        var laws = ViolationCollector()
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
