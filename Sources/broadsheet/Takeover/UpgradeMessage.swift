/// The reply of a server to an upgrade request.
enum UpgradeMessage: Equatable {
    case serving(process: Int32)
    case failed(String)

    /// The protocol's name in `Upgrade`, which also says its version.
    static let protocolName = "broadsheet-upgrade/1"

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.count) {
        case ("serving", 2):
            guard let process = Int32(words[1]) else { return nil }
            self = .serving(process: process)
        case ("failed", 2): self = .failed(words[1])
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .serving(let process): "serving \(process)"
        case .failed(let reason): "failed \(reason)"
        }
    }
}
