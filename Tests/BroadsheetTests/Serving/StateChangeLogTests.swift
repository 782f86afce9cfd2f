import Testing

@testable import broadsheet

@Suite struct StateChangeLogTests {
    private static let state = StateChangeLog.State(
        level: .error, begins: "it began", ends: "it is over")

    @Test func `a state has one line when it begins, and one when it is over`() {
        var log = StateChangeLog()
        let lines = (0..<60).compactMap { second in
            log.note(.disk, 10..<36 ~= second ? Self.state : nil, at: Double(second))
        }
        #expect(
            lines == [
                StateChangeLog.Line(level: .error, text: "it began", isEnd: false),
                StateChangeLog.Line(level: .error, text: "it is over, after 26 s", isEnd: true),
            ])
    }

    @Test func `subjects do not hold up each other`() {
        var log = StateChangeLog()
        for subject in StateChangeLog.Subject.allCases {
            #expect(log.note(subject, nil, at: 1) == nil)
            #expect(log.note(subject, Self.state, at: 1)?.text == "it began")
            #expect(log.note(subject, Self.state, at: 100) == nil)
        }
    }

    @Test func `an end that comes at once is logged later`() {
        var log = StateChangeLog()
        #expect(log.note(.commits, Self.state, at: 1)?.isEnd == false)
        #expect(log.note(.commits, nil, at: 2) == nil)
        #expect(log.note(.commits, nil, at: 5.9) == nil)
        #expect(log.note(.commits, nil, at: 6)?.text == "it is over, after 5 s")
    }

    @Test func `a state that comes and goes every second does not fill the log`() {
        var log = StateChangeLog()
        var times: [Int] = []
        for second in 0..<7_200
        where log.note(.database, second % 2 == 0 ? Self.state : nil, at: Double(second)) != nil {
            times.append(second)
        }
        #expect(times.count < 40 && times.count > 20, "\(times)")
        let last = times.suffix(10)
        #expect(zip(last, last.dropFirst()).allSatisfy { 299...302 ~= $1 - $0 }, "\(times)")
        // After a long rest, it is logged as soon as at first.
        let rested = 7_200.0 + 4_000
        _ = log.note(.database, nil, at: rested)
        #expect(log.note(.database, Self.state, at: rested + 4_000)?.isEnd == false)
        #expect(log.note(.database, nil, at: rested + 4_006)?.isEnd == true)
    }
}
