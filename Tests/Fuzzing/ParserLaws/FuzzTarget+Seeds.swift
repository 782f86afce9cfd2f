import BroadsheetTestSupport
package import FoundationEssentials

extension FuzzTarget {
    /// The folder with a folder of seeds for each target.
    package static let corpus = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Corpus")

    /// The inputs from which the fuzzer starts.
    package func seeds() throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.corpus.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0))))
        }
    }

    /// The seeds that violate laws.
    package func brokenBySeeds() throws -> [String] {
        try seeds().compactMap { seed in
            let broken = brokenLaws(seed.bytes)
            return broken.isEmpty ? nil : "\(name)/\(seed.name): \(broken)"
        }
    }

    /// The given number of mutations, or half of them as a sample.
    package static func sample(of count: Int) -> Int { Thoroughness.isFull ? count : count / 2 }

    /// The mutations of the seeds that violate laws, in base64.
    package func brokenByMutations(_ count: Int, seed: UInt64) throws -> [String] {
        var mutator = Mutator(seeds: try seeds().map(\.bytes), seed: seed)
        return (0..<count).compactMap { _ in
            let bytes = mutator.next()
            let broken = brokenLaws(bytes)
            return broken.isEmpty
                ? nil : "\(name): \(broken) of \(Data(bytes).base64EncodedString())"
        }
    }
}
