import BroadsheetSwiftGenerator
import Testing

/// The example of the generator.
@Suite struct SwiftGeneratorExamples {
    @Test func `a model`() throws {
        let sample = SwiftGenerator.Source(name: "tag.json", bytes: Array(#"{"key":"a"}"#.utf8))
        let source = try SwiftGenerator.models(named: "Label", samples: [sample])
        #expect(source.contains("public struct Label: Sendable, Hashable {"))
    }
}
