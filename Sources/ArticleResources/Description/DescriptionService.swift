import ArticleAPI
public import ArticleAdminAPI
package import ArticleServiceCore
import BroadsheetOpenAPI
import BroadsheetPlatform
import BroadsheetResources

/// Describes the API that the backend serves.
package final class DescriptionService: Sendable {
    private let version: String
    /// Made when it is first requested, as most servers are never asked for it.
    private let made = Lock<APIDescription?>(nil)

    /// - Parameter version: that of the program.
    package init(version: String) { self.version = version }

    package func fetch(
        _ request: FetchDescriptionRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<APIDescription> {
        let description = made.withLock { [version] made in
            let description = made ?? APIDescription.ofBackend(version: version)
            made = description
            return description
        }
        // It depends on nothing that changes.
        return Reply(description, dependencies: Dependencies.none)
    }
}

extension APIDescription {
    /// The description of the public API, with the binary's examples.
    ///
    /// - Parameter version: that of the program.
    public static func ofBackend(version: String) -> APIDescription {
        let table = broadsheet_examples()
        let files = UnsafeBufferPointer(start: table.first, count: table.count).map { file in
            let bytes = [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.size))
            return (name: String(cString: file.name), bytes: bytes)
        }
        return APIDescription(
            of: Contract.requests, version: version, examples: WireExamples(files))
    }
}
