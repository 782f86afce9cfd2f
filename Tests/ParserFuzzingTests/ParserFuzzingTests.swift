import ParserLaws
import Testing

/// The seeds of the parsers' targets and mutations of them, for seconds; `make fuzz` goes on.
@Suite struct ParserFuzzingTests {
    @Test(arguments: FuzzTarget.parsers.indices)
    func `the seeds keep every law`(index: Int) throws {
        #expect(try FuzzTarget.parsers[index].brokenBySeeds() == [])
    }

    @Test(arguments: FuzzTarget.parsers.indices)
    func `mutations of the seeds keep every law`(index: Int) throws {
        let target = FuzzTarget.parsers[index]
        #expect(
            try target.brokenByMutations(FuzzTarget.sample(of: 1_000), seed: UInt64(index)) == [])
    }

    @Test func `a law that does not hold is reported`() throws {
        // Has seeds like the parser's target, of which some have several lines.
        let liar = FuzzTarget(name: "request") { $0.contains(0x0A) ? ["no lines"] : [] }
        #expect(try !liar.brokenBySeeds().isEmpty)
        #expect(try !liar.brokenByMutations(50, seed: 1).isEmpty)
    }
}
