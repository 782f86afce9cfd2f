import HTTP

/// The parts of a request while it is being printed.
struct RequestDraft {
    var path: [(name: String, value: String)] = []
    var query = QueryItems()
    var fields: HTTPFields
    var body: (mediaType: String, bytes: [UInt8])?
}
