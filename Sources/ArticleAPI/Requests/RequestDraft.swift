/// The parts of a request while it is printed.
struct RequestDraft {
    var path: [String: String] = [:]
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    var body: (mediaType: String, bytes: [UInt8])?
}
