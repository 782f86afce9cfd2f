import Foundation
import FuzzingLaws
import ParserLaws
import Testing

/// The seeds of the targets above the parsers and mutations of them, for seconds; `make fuzz` goes
/// on.
@Suite struct FuzzingTests {
    @Test func `every target has seeds, and every seed a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: FuzzTarget.corpus.path)
        #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
        for target in FuzzTarget.all { #expect(try target.seeds().count > 2) }
    }

    @Test(arguments: FuzzTarget.services.indices)
    func `the seeds keep every law`(index: Int) throws {
        #expect(try FuzzTarget.services[index].brokenBySeeds() == [])
    }

    @Test(arguments: FuzzTarget.services.indices)
    func `mutations of the seeds keep every law`(index: Int) throws {
        let target = FuzzTarget.services[index]
        #expect(try target.brokenByMutations(FuzzTarget.sample(of: 400), seed: UInt64(index)) == [])
    }
}
