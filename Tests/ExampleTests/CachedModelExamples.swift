import ArticleAPI
import ArticleOffline
import Testing

/// A model of an app's own backend.
struct Note: JSONModel, Identifiable {
    static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .text(.line(1...100))),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("text", \.text, .text(.lines(1...1_000))))

    var id: String
    var revision: Int
    var text: String?
}

extension Note: MergeableModel {
    static let attributeNames = AttributeNames(shape)
}

@Suite struct CachedModelExamples {
    @Test func `a model of its own is remembered`() {
        let time = ServedExampleBackend.time
        var facts = ModelFacts(
            Note(id: "a", revision: 1, text: "Knead."), knowing: .all, seenAt: time)
        let listed = Note(id: "a", revision: 2, text: nil)
        let changed = facts.merge(
            ModelFacts(listed, knowing: AttributeSet(["id", "revision"]), seenAt: time))
        #expect(changed.names == ["revision"] && facts.model()?.text == "Knead.")
    }
}
