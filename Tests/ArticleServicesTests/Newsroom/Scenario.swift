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
    /// As `NewsroomResponse.summary`.
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

    func play(in newsroom: Newsroom) throws {
        let response = try newsroom.send(line, as: sender, json, with: fields)
        let words = "\(name) (\(sender): \(line))"
        #expect(response.summary == summary, "\(words): \(response.text)")
        for (field, value) in answerFields {
            #expect(response.fields.combined(field) == value, "\(words): \(field)")
        }
        for part in has { #expect(response.text.contains(part), "\(words)") }
        for part in lacks { #expect(!response.text.contains(part), "\(words)") }
    }
}

/// Scenarios that run in sequence in one newsroom.
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
        try await Newsroom.run { newsroom in
            newsroom.pass(milliseconds: delay)
            let before = try await newsroom.changes()
            for scenario in scenarios { try scenario.play(in: newsroom) }
            #expect(try await newsroom.changes() == before, "nothing was changed")
        }
    }
}
