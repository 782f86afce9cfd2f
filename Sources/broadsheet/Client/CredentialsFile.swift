import ArticleClient

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where `login` keeps keys: a file for each backend, in the user's configuration folder (XDG Base
/// Directory Specification).
enum CredentialsFile {
    static func path(of server: BaseURL) throws(CommandFailure) -> String {
        let name = server.description.map { character in
            character.isASCII && (character.isLetter || character.isNumber || character == ".")
                ? character : "_"
        }
        return try folder() + "/" + String(name) + ".json"
    }

    /// Makes the folder, which is its owner's alone.
    static func makeFolder() throws(CommandFailure) {
        let folder = try folder()
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw Files.failure("cannot make \(path)", .cannotCreate)
            }
        }
    }

    private static func folder() throws(CommandFailure) -> String {
        if let base = Environment.value("XDG_CONFIG_HOME"), base.hasPrefix("/") {
            return base + "/broadsheet"
        }
        guard let home = Environment.value("HOME"), home.hasPrefix("/") else {
            throw CommandFailure(.configuration, "HOME is not set: there is no place for keys")
        }
        return home + "/.config/broadsheet"
    }
}
