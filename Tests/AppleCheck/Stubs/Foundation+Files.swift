// Places of files, and their manager.

extension URL {
    public enum DirectoryHint: Sendable {
        case isDirectory, notDirectory, checkFileSystem, inferFromPath
    }

    public static var applicationSupportDirectory: URL { URL(filePath: "") }
    public func appending<S: StringProtocol>(
        path: S, directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { self }
    public func path(percentEncoded: Bool = true) -> String { "" }
    public mutating func setResourceValues(_ values: URLResourceValues) throws {}
}

public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

// Apple's is documented so.
open class FileManager: NSObject, @unchecked Sendable {
    open class var `default`: FileManager { FileManager() }
    open func createDirectory(
        at url: URL, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func removeItem(atPath path: String) throws {}
}
