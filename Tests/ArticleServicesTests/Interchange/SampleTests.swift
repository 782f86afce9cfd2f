import ArticleAPI
import BroadsheetResources
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

@Suite struct SampleTests {
    @Test func `every sample is a complete post with a unique name`() throws {
        let list = broadsheet_samples()
        let samples = UnsafeBufferPointer(start: list.first, count: list.count)
        var slugs: Set<String> = []
        for sample in samples {
            let name = String(cString: sample.name)
            let bytes = [UInt8](UnsafeBufferPointer(start: sample.bytes, count: sample.size))
            let post = try MarkdownPost(bytes, name: name)
            let front = post.frontMatter
            let language = name.hasSuffix("-ko.md") ? "ko" : "en"
            #expect(front.language == language, "\(name)")
            #expect(front.title != nil && front.summary != nil && front.date != nil, "\(name)")
            #expect(!front.authors.isEmpty && !front.tags.isEmpty && front.status == nil, "\(name)")
            #expect(slugs.insert(front.slug ?? "").inserted, "\(name)")
            #expect(post.body.contains("```\n") && front.notes.isEmpty, "\(name)")
        }
        #expect(slugs.count >= 12)
        #expect(samples.count { String(cString: $0.name).hasSuffix("-ko.md") } >= 4)
    }
}
