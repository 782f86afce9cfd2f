import BroadsheetKit

/// Reads a response as it comes, and tells how much of it is there, from 0 to 1.
func download(
    from backend: BackendService, progress: (Double) -> Void
) async throws(BackendError) -> [UInt8] {
    let stream = try await backend.stream(FetchArticlesRequest(limit: 100))
    var bytes: [UInt8] = []
    for try await piece in stream {
        bytes += piece
        if let length = stream.length { progress(Double(bytes.count) / Double(length)) }
    }
    return bytes
}
