import ArticleAPI
import BroadsheetHTTP
import CBroadsheetYAML

/// A value in the front matter with the line of the file on which it begins, from 1.
struct FrontMatterNode {
    var value: Value
    var line: Int

    init(value: Value, line: Int) {
        self.value = value
        self.line = line
    }

    enum Value {
        /// A scalar; `isPlain` unless it is quoted or a block, as only a plain `null` or `no` has a
        /// special meaning.
        case scalar(String, isPlain: Bool)
        case list([FrontMatterNode])
        case mapping([(key: String, node: FrontMatterNode)])
    }

    /// The keys of a mapping and their values, in their order.
    typealias Entries = [(key: String, node: FrontMatterNode)]

    /// Parses the front matter of a file.
    static func mapping(of block: FrontMatterBlock) throws(FrontMatterError) -> Entries {
        switch block.format {
        case .yaml: try mapping(of: block.text[...], firstLine: block.firstLine)
        case .toml: try TOMLReader.mapping(of: block.text, firstLine: block.firstLine)
        case .json: try mapping(ofJSON: block.text, firstLine: block.firstLine)
        }
    }

    /// Parses a JSON object; all of its values are on its first line.
    private static func mapping(
        ofJSON text: [UInt8], firstLine: Int
    ) throws(FrontMatterError) -> Entries {
        let value: JSONValue
        do throws(JSONSyntaxError) { value = try JSONParser.parse(text) } catch {
            var error = error
            error.line += firstLine - 1
            throw FrontMatterError(line: error.line, reason: .invalidJSON(error.message))
        }
        guard case .mapping(let entries) = FrontMatterNode(value, line: firstLine).value else {
            throw FrontMatterError(line: firstLine, reason: .notMapping)
        }
        return entries
    }

    private init(_ json: JSONValue, line: Int) {
        self.line = line
        value =
            switch json {
            case .null: .scalar("null", isPlain: true)
            case .boolean(let isTrue): .scalar("\(isTrue)", isPlain: true)
            case .number(let number): .scalar(number.text, isPlain: true)
            case .string(let text): .scalar(text, isPlain: false)
            case .array(let items): .list(items.map { FrontMatterNode($0, line: line) })
            case .object(let members):
                .mapping(members.map { ($0.name, FrontMatterNode($0.value, line: line)) })
            }
    }

    /// Parses YAML with one mapping that begins on line `firstLine` of its file; empty input is an
    /// empty mapping.
    ///
    /// Anchors, aliases and nesting deeper than `FrontMatter.limitDepth` are rejected, so that the
    /// result is never larger than the input. So is a key with two different values; exact
    /// duplicates are common in real posts and harmless.
    static func mapping(
        of yaml: ArraySlice<UInt8>, firstLine: Int
    ) throws(FrontMatterError) -> Entries {
        var reader = try EventReader(yaml, firstLine: firstLine)
        return try reader.document()
    }

    /// Returns true if both are the same scalar.
    fileprivate func repeats(_ other: FrontMatterNode) -> Bool {
        guard case .scalar(let text, _) = value, case .scalar(let otherText, _) = other.value
        else { return false }
        return text == otherText
    }
}

/// A libyaml parser that owns its input. It cannot be copied; leaving scope deletes it
/// (`yaml_parser_delete`).
private struct EventReader: ~Copyable {
    /// Heap-allocated, as libyaml's parser contains pointers to itself.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// The input, which libyaml reads in place.
    private let text: UnsafeMutableBufferPointer<UInt8>
    private var lines: LineCounter

    private enum Event {
        case streamStart, streamEnd, documentStart, documentEnd
        case scalar(String, isPlain: Bool)
        case listStart, listEnd, mappingStart, mappingEnd
    }

    init(_ yaml: ArraySlice<UInt8>, firstLine: Int) throws(FrontMatterError) {
        lines = LineCounter(firstLine: firstLine)
        parser = .allocate(capacity: 1)
        text = .allocate(capacity: yaml.count)
        _ = text.initialize(fromContentsOf: yaml)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.initialize(to: yaml_parser_t())
            throw FrontMatterError(line: firstLine, reason: .malformed("out of memory"))
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        text.deallocate()
    }

    /// The only document, which must be a mapping.
    mutating func document() throws(FrontMatterError) -> [(key: String, node: FrontMatterNode)] {
        _ = try next()
        var (event, line) = try next()
        if case .streamEnd = event { return [] }
        (event, line) = try next()
        let root = try node(event, line: line, depth: 1)
        _ = try next()
        let (end, endLine) = try next()
        guard case .streamEnd = end else {
            throw error(endLine, .malformed("there is a second document"))
        }
        switch root.value {
        case .mapping(let entries): return entries
        case .scalar("", isPlain: true): return []
        case .scalar, .list: throw error(root.line, .notMapping)
        }
    }

    /// The value that begins with `event`; consumes all of its events.
    private mutating func node(
        _ event: Event, line: Int, depth: Int
    ) throws(FrontMatterError) -> FrontMatterNode {
        switch event {
        case .scalar(let text, let isPlain):
            return FrontMatterNode(value: .scalar(text, isPlain: isPlain), line: line)
        case .listStart:
            guard depth <= FrontMatter.limitDepth else { throw error(line, .tooDeep) }
            return FrontMatterNode(value: .list(try items(depth: depth + 1)), line: line)
        case .mappingStart:
            guard depth <= FrontMatter.limitDepth else { throw error(line, .tooDeep) }
            return FrontMatterNode(value: .mapping(try entries(depth: depth + 1)), line: line)
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .listEnd, .mappingEnd:
            throw error(line, .malformed("a value is missing"))
        }
    }

    private mutating func items(depth: Int) throws(FrontMatterError) -> [FrontMatterNode] {
        var items: [FrontMatterNode] = []
        while true {
            let (event, line) = try next()
            if case .listEnd = event { return items }
            items.append(try node(event, line: line, depth: depth))
        }
    }

    private mutating func entries(
        depth: Int
    ) throws(FrontMatterError) -> [(key: String, node: FrontMatterNode)] {
        var entries: [(key: String, node: FrontMatterNode)] = []
        var places: [String: Int] = [:]
        while true {
            let (event, line) = try next()
            if case .mappingEnd = event { return entries }
            guard case .scalar(let key, _) = event else { throw error(line, .badKey) }
            let (value, valueLine) = try next()
            let node = try node(value, line: valueLine, depth: depth)
            if let place = places[key] {
                guard node.repeats(entries[place].node) else {
                    throw error(line, .duplicateKey(key))
                }
            } else {
                places[key] = entries.count
                entries.append((key, node))
            }
        }
    }

    /// The next event and its line. The only place that handles libyaml's error convention: 0 means
    /// that the parser describes an error (`yaml_parser_parse`).
    private mutating func next() throws(FrontMatterError) -> (Event, line: Int) {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
        defer { yaml_event_delete(&event) }
        let line = lines.line(at: event.start_mark, in: UnsafeBufferPointer(text))
        switch event.type {
        case YAML_STREAM_START_EVENT: return (.streamStart, line)
        case YAML_DOCUMENT_START_EVENT: return (.documentStart, line)
        case YAML_DOCUMENT_END_EVENT: return (.documentEnd, line)
        case YAML_SEQUENCE_END_EVENT: return (.listEnd, line)
        case YAML_MAPPING_END_EVENT: return (.mappingEnd, line)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            guard scalar.anchor == nil else { throw error(line, .reference) }
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            let text = String(decoding: bytes, as: UTF8.self).streamSafe
            return (.scalar(text, isPlain: isPlain), line)
        case YAML_SEQUENCE_START_EVENT:
            guard event.data.sequence_start.anchor == nil else { throw error(line, .reference) }
            return (.listStart, line)
        case YAML_MAPPING_START_EVENT:
            guard event.data.mapping_start.anchor == nil else { throw error(line, .reference) }
            return (.mappingStart, line)
        case YAML_ALIAS_EVENT: throw error(line, .reference)
        default: return (.streamEnd, line)
        }
    }

    private mutating func problem() -> FrontMatterError {
        let words = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
        guard parser.pointee.error == YAML_READER_ERROR else {
            let line = lines.line(at: parser.pointee.problem_mark, in: UnsafeBufferPointer(text))
            return error(line, .malformed(words))
        }
        // Reader errors only have a byte offset.
        let before = text.prefix(min(parser.pointee.problem_offset, text.count))
        let breaks = before.count { $0 == UInt8(ascii: "\n") }
        return error(lines.firstLine + breaks, .malformed(words))
    }

    private borrowing func error(
        _ line: Int, _ reason: FrontMatterError.Reason
    ) -> FrontMatterError {
        FrontMatterError(line: line, reason: reason)
    }
}

/// Computes the line of a mark. libyaml's own count also treats CR and a few other characters as
/// line breaks, which no editor does.
private struct LineCounter {
    let firstLine: Int
    /// The counts so far: whole characters, their bytes and the line feeds among them.
    private var characters = 0
    private var bytes = 0
    private var lineFeeds = 0

    init(firstLine: Int) { self.firstLine = firstLine }

    mutating func line(at mark: yaml_mark_t, in text: UnsafeBufferPointer<UInt8>) -> Int {
        if mark.index < characters { self = LineCounter(firstLine: firstLine) }
        // Invariant: the first `characters` characters of the text are its first `bytes` bytes.
        while characters < mark.index, bytes < text.count {
            if text[bytes] == UInt8(ascii: "\n") { lineFeeds += 1 }
            bytes += 1
            while bytes < text.count, text[bytes] & 0xC0 == 0x80 { bytes += 1 }
            characters += 1
        }
        return firstLine + lineFeeds
    }
}
