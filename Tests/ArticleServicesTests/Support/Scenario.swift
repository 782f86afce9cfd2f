import ArticleAPI
import BroadsheetHTTP
import Testing

/// One row of a table: a sender, a request and the expected outcome.
struct Scenario: Sendable {
    let name: String
    let sender: Sender
    let line: String
    let json: String?
    let fields: HTTPFields
    /// As `BackendResponse.summary`.
    let summary: String
    /// Expected fields of the response; `nil` if a field must be absent.
    let answerFields: [(HTTPFieldName, String?)]
    let has: [String]
    let lacks: [String]

    init(
        _ name: String, _ sender: Sender, _ line: String, _ json: String? = nil,
        with fields: HTTPFields = HTTPFields(), gives summary: String,
        fields answerFields: [(HTTPFieldName, String?)] = [], has: [String] = [],
        lacks: [String] = []
    ) {
        self.name = name
        self.sender = sender
        self.line = line
        self.json = json
        self.fields = fields
        self.summary = summary
        self.answerFields = answerFields
        self.has = has
        self.lacks = lacks
    }

    func play(in server: TestBackend) throws {
        let response = try server.send(line, as: sender, json, with: fields)
        let words = "\(name) (\(sender): \(line))"
        #expect(response.summary == summary, "\(words): \(response.text)")
        for (field, value) in answerFields {
            #expect(response.fields.combined(field) == value, "\(words): \(field)")
        }
        for part in has { #expect(response.text.contains(part), "\(words)") }
        for part in lacks { #expect(!response.text.contains(part), "\(words)") }
    }
}

/// Scenarios that run in sequence in one backend.
struct ScenarioTable: Sendable, CustomTestStringConvertible {
    let name: String
    let scenarios: [Scenario]

    init(_ name: String, _ scenarios: [Scenario]) {
        self.name = name
        self.scenarios = scenarios
    }

    var testDescription: String { name }

    /// Runs scenarios that must not change anything, at this time after the opening.
    func playWithoutChange(afterMilliseconds delay: Int64 = 0) async throws {
        try await TestBackend.run { server in
            server.pass(milliseconds: delay)
            let before = try await server.changes()
            for scenario in scenarios { try scenario.play(in: server) }
            #expect(try await server.changes() == before, "nothing was changed")
        }
    }
}
