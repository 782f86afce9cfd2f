import ArticleAPI
import ArticleStore
import Testing

/// The revisions that are removed.
@Suite struct RetentionRulesTests {
    private static let minute: Int64 = 60_000

    /// A history whose times are given in minutes.
    private static func history(
        _ minutes: [Int64], actors: [Int64] = [], published: Set<Int> = []
    ) -> [RevisionFacts] {
        minutes.enumerated().map { index, time in
            RevisionFacts(
                number: index + 1, time: .start + time * minute,
                actor: actors.isEmpty ? 1 : actors[index],
                isPublished: published.contains(index + 1))
        }
    }

    private static func excess(
        _ history: [RevisionFacts], keeping count: Int?, _ milliseconds: Int64? = nil,
        atMinute minute: Int64 = 1_000_000
    ) -> [Int] {
        var rules = RetentionRules()
        rules.revisions = count
        rules.revisionMilliseconds = milliseconds
        return rules.excess(in: history, at: .start + minute * Self.minute)
    }

    @Test func `nothing goes within the limits, and never the present revision`() {
        let history = Self.history([0, 1, 2, 3])
        #expect(Self.excess(history, keeping: nil) == [])
        #expect(Self.excess(history, keeping: 4) == [])
        #expect(Self.excess(history, keeping: 1) == [1, 2, 3])
        #expect(Self.excess([], keeping: 1) == [])
        #expect(Self.excess(history, keeping: 1, 1) == [1, 2, 3])
    }

    @Test func `what its own author replaced within minutes goes first, from the oldest`() {
        // Pauses of an hour end a piece of work, and so does another person.
        let history = Self.history([0, 60, 61, 62, 120, 121, 180], actors: [1, 1, 1, 1, 1, 2, 2])
        #expect(Self.excess(history, keeping: 6) == [2])
        #expect(Self.excess(history, keeping: 5) == [2, 3])
        #expect(Self.excess(history, keeping: 4) == [1, 2, 3])
        #expect(Self.excess(history, keeping: 2) == [1, 2, 3, 4, 5])
    }

    @Test func `what was published and the last of each day go last`() {
        let day: Int64 = 24 * 60
        let history = Self.history(
            [0, 1, 2, day, day + 60, 2 * day, 2 * day + 1], published: [2])
        #expect(Self.excess(history, keeping: 6) == [1])
        #expect(Self.excess(history, keeping: 5) == [1, 6])
        #expect(Self.excess(history, keeping: 4) == [1, 4, 6])
        // The published one was replaced by its author within minutes; 3 and 5 end a day.
        #expect(Self.excess(history, keeping: 3) == [1, 2, 4, 6])
        #expect(Self.excess(history, keeping: 2) == [1, 2, 3, 4, 6])
    }

    @Test func `a revision goes when it was replaced too long ago`() {
        let history = Self.history([0, 60, 120])
        #expect(Self.excess(history, keeping: nil, 60 * Self.minute, atMinute: 121) == [1])
        #expect(Self.excess(history, keeping: nil, 60 * Self.minute, atMinute: 120) == [])
        #expect(Self.excess(history, keeping: nil, 60 * Self.minute, atMinute: 1_000) == [1, 2])
        // Both limits hold.
        #expect(Self.excess(history, keeping: 2, 60 * Self.minute, atMinute: 1_000) == [1, 2])
        #expect(Self.excess(history, keeping: 2, 600 * Self.minute, atMinute: 121) == [1])
    }

    @Test func `the last revision of each owner stays`() {
        var history = Self.history([0, 1, 2, 3, 4])
        let owner = UserRecord.ID.make()
        for index in 0..<2 { history[index].owner = owner }
        #expect(Self.excess(history, keeping: 1) == [1, 3, 4])
        #expect(Self.excess(history, keeping: nil, 1) == [1, 3, 4])
    }
}
