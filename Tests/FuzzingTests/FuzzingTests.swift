import Foundation
import FuzzingLaws
import TestSupport
import Testing

/// The seeds of the fuzzer and what mutations make of them, for seconds; `make fuzz` goes on.
@Suite struct FuzzingTests {
    private static let corpus = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzzing/Corpus")

    private static func seeds(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = corpus.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0))))
        }
    }

    @Test func `every target has seeds, and every seed a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
        for target in FuzzTarget.all { #expect(try Self.seeds(target).count > 2) }
    }

    @Test(arguments: FuzzTarget.all.indices)
    func `the seeds keep every law`(index: Int) throws {
        let target = FuzzTarget.all[index]
        for (name, bytes) in try Self.seeds(target) {
            let broken = target.brokenLaws(bytes)
            #expect(broken.isEmpty, "\(target.name)/\(name)")
        }
    }

    @Test(arguments: FuzzTarget.all.indices)
    func `mutations of the seeds keep every law`(index: Int) throws {
        let target = FuzzTarget.all[index]
        var mutator = Mutator(seeds: try Self.seeds(target).map(\.bytes), seed: UInt64(index))
        for _ in 0..<1_000 {
            let bytes = mutator.next()
            let broken = target.brokenLaws(bytes)
            if !broken.isEmpty {
                Issue.record("\(target.name): \(broken) of \(Data(bytes).base64EncodedString())")
            }
        }
    }

    @Test func `a law that does not hold is told`() {
        let liar = FuzzTarget(name: "liar") { $0.contains(0x21) ? ["no marks"] : [] }
        var mutator = Mutator(seeds: [Array("a!b".utf8), Array("!!".utf8)], seed: 1)
        #expect((0..<50).contains { _ in !liar.brokenLaws(mutator.next()).isEmpty })
    }
}
