import BroadsheetTestSupport
import Testing

@testable import ArticleAPI

/// The handwritten encoder of articles must agree with their codec.
struct ArticleWritingTests {
    /// An article in an object of its own, so that its shape writes it.
    private struct Wrapped: JSONModel {
        var article: Article
        static let shape = ObjectCodec(
            Wrapped.init, .required("article", \.article, .object(Article.shape)))
    }

    @Test func `the handwritten encoder agrees with the codec`() throws {
        var generator = RequestGenerator(seed: 11)
        var codec = Article.shape
        codec.writeAttributes = nil
        for round in 0..<400 {
            var writer = JSONWriter()
            generator.json(Article.shape.schema, at: "").write(to: &writer)
            let article = try ResponseMapper<Article>().map(writer.bytes)
            #expect(article.faults == [])
            var names = Article.shape.properties.map(\.name)
            names += ["authors.id", "authors.name", "tags.key", "tags.name", "heroImage.url"]
            names += ["heroImage.alternativeText", "source.name", "source.url"]
            let some = names.filter { _ in Int.random(in: 0..<3, using: &generator.random) == 0 }
            let fields = round % 2 == 0 ? nil : FieldSelection(some)
            let shaped = fields.map { fields in
                FieldSelection(fields.names.map { "article.\($0)" } + ["article.id"])
            }
            let expected = Wrapped(article: article).json(shaped)
            let written = Array("{\"article\":".utf8) + article.json(fields) + [UInt8(ascii: "}")]
            #expect(
                String(decoding: written, as: UTF8.self)
                    == String(decoding: expected, as: UTF8.self))
            let members = Article.shape.members(of: article, capacity: 1)
            let others = codec.members(of: article, capacity: 1)
            #expect(members.text == others.text && members.ends == others.ends)
        }
        for name in Article.shape.properties.map(\.name) {
            #expect(generator.present.contains("/\(name)"))
        }
    }
}
