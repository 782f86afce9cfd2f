import Glibc

/// The process's environment and arguments.
enum Environment {
    /// The arguments, of which the first is the program's name.
    ///
    /// `CommandLine` searches for them in memory, before `environ`. They are not there once a
    /// library that was loaded before the program has moved that by `setenv(3)`.
    static let arguments: [String] = {
        guard let bytes = try? Files.read("/proc/self/cmdline"), bytes.last == 0 else {
            return CommandLine.arguments
        }
        return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }()

    /// The variables whose name satisfies the predicate, as `NAME=value`.
    static func all(where isIncluded: (String) -> Bool) -> [String] {
        var variables: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if isIncluded(String(text.prefix { $0 != "=" })) { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// The variables whose name begins with `BROADSHEET_`.
    static var current: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if text.hasPrefix("BROADSHEET_"), let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }

    /// The value of a variable (`getenv(3)`); `nil` if it is unset or empty.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The version of this program.
enum Version {
    /// CHANGELOG.md lists the changes of each version. A test names the other places that have to
    /// change with it.
    static let number = "0.2.0"
    static let text = "broadsheet \(number)"
}
