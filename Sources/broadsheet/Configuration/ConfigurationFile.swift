import ArticleAPI

/// A configuration file: one JSON object whose keys are option names in camelCase.
struct ConfigurationFile {
    private(set) var values: [String: [Settings.Value]] = [:]

    /// - Parameter ignoredKeys: keys of other commands' options, which are skipped: all commands
    ///   can share one file.
    init(
        _ bytes: [UInt8], path: String, options: [Option], ignoredKeys: Set<String>
    ) throws(CommandFailure) {
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONParser.parse(bytes)
        } catch { throw CommandFailure(.configuration, "\(path):\(error.line): \(error.message)") }
        guard case .object(let members) = json else {
            throw CommandFailure(.configuration, "\(path): not a JSON object")
        }
        for member in members {
            guard
                let option = options.first(where: { $0.key == member.name && $0.name != "config" })
            else {
                if ignoredKeys.contains(member.name) { continue }
                throw CommandFailure(.configuration, "\(path): unknown option \"\(member.name)\"")
            }
            let origin = "\(option.key) in \(path)"
            values[option.name] = try Self.texts(member.value, option, origin).map {
                Settings.Value(text: $0, origin: origin)
            }
        }
    }

    private static func texts(
        _ value: JSONValue, _ option: Option, _ origin: String
    ) throws(CommandFailure) -> [String] {
        switch value {
        case .string(let text): return [text]
        case .number(let number): return [number.text]
        case .boolean(let isOn): return [isOn ? "true" : "false"]
        case .array(let values) where option.isRepeatable:
            var texts: [String] = []
            for value in values { texts += try Self.texts(value, option, origin) }
            return texts
        default:
            throw CommandFailure(
                .configuration, "\(origin): not a string, a number, true or false")
        }
    }
}
