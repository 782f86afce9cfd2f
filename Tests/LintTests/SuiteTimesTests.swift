import Testing

/// The table of the suites' CPU times is complete, and no suite costs too much.
@Suite struct SuiteTimesTests {
    @Test func `the table names every suite, and no suite takes more than 20 CPU seconds`() throws {
        let table = try #require(try SourceTree.files().first { $0.path == SuiteTimes.path })
        let suites = try SourceTree.files().reduce(into: Set()) {
            $0.formUnion(Suites.names(in: $1))
        }
        #expect(suites.count > 400)
        let faults = SuiteTimes(table.lines).faults(suites)
        #expect(
            faults.isEmpty,
            "\(SuiteTimes.path), made by `make test-times`:\n\(faults.joined(separator: "\n"))")
    }

    @Test func `missing, removed and expensive suites are found`() {
        let times = SuiteTimes(["# seconds", "A.B\t20.0", "A.C\t20.1", "A.E\t0.0", ""])
        #expect(
            times.faults(["A.B", "A.C", "A.D"]) == [
                "A.D is missing", "A.E does not exist", "A.C takes more than 20.0 CPU seconds",
            ])
    }

    @Test(arguments: ["A.B", "A.B\tmuch", "A.B\t-1.0", "A.B\t1.0\t", "A.A\t1.0"])
    func `a malformed or repeated line is found`(line: String) {
        let times = SuiteTimes(["A.A\t1.0", line])
        #expect(times.faults(["A.A"]) == ["malformed or repeated: \(line)"])
    }
}
