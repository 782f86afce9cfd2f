/// Decides from which path a file was imported before, if the store knows files that are like it.
struct FormerPathMatcher: Sendable {
    enum Origin: Sendable, Hashable {
        /// It was not imported before.
        case new
        case path(String)
        /// It is not clear which of these.
        case unclear([String])
    }

    /// The identities of the files of this import.
    private let present: Set<String>

    init(_ files: [ImportFile]) { present = Set(files.map(\.identity)) }

    /// The one with the longest common end of both paths. Files of the same import are other files.
    ///
    /// - Parameter paths: paths of earlier imports, with the same name and the same title or slug.
    func origin(of path: String, among paths: [String]) -> Origin {
        let others = paths.filter { !isPresent($0) }
        let lengths = others.map { Self.commonEnd(of: path, and: $0) }
        guard let longest = lengths.max() else { return .new }
        let nearest = zip(others, lengths).filter { $0.1 == longest }.map(\.0)
        return nearest.count == 1 ? .path(nearest[0]) : .unclear(nearest)
    }

    /// Returns true if a path is that of a file of this import, or of a part of it
    /// (`blog.xml#post:12`).
    private func isPresent(_ path: String) -> Bool {
        if present.contains(path) { return true }
        return path.indices.contains { path[$0] == "#" && present.contains(String(path[..<$0])) }
    }

    /// The number of equal names at the end of both paths.
    private static func commonEnd(of one: String, and other: String) -> Int {
        let (one, other) = (one.split(separator: "/"), other.split(separator: "/"))
        return zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
    }
}
