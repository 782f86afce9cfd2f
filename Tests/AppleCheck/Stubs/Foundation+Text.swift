// Attributed strings, and undo.

public struct CGFloat: Sendable, Hashable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(_ value: Int) {}
    public init(floatLiteral value: Double) {}
    public init(integerLiteral value: Int) {}
    public static let infinity = CGFloat(0)
}

public struct PresentationIntent: Sendable, Hashable {
    public struct TableColumn: Sendable, Hashable {}

    public enum Kind: Sendable, Hashable {
        case paragraph
        case header(level: Int)
        case orderedList
        case unorderedList
        case listItem(ordinal: Int)
        case codeBlock(languageHint: String?)
        case blockQuote
        case thematicBreak
        case table(columns: [TableColumn])
        case tableHeaderRow
        case tableRow(rowIndex: Int)
        case tableCell(columnIndex: Int)
    }

    public struct IntentType: Sendable, Hashable {
        public var kind: Kind { .paragraph }
        public var identity: Int { 0 }
    }

    public var components: [IntentType] { [] }
}

public struct InlinePresentationIntent: OptionSet, Sendable, Hashable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let emphasized = InlinePresentationIntent(rawValue: 1 << 0)
    public static let stronglyEmphasized = InlinePresentationIntent(rawValue: 1 << 1)
}

public struct AttributedSubstring: Sendable, Hashable {}

public struct AttributedString: Sendable, Hashable {
    public struct Index: Sendable, Hashable, Comparable {
        public static func < (left: Index, right: Index) -> Bool { false }
    }

    public struct Runs: Sequence, Sendable {
        public struct Run: Sendable {
            public var range: Range<Index> { Index()..<Index() }
            public var presentationIntent: PresentationIntent? { nil }
        }

        public func makeIterator() -> [Run].Iterator { [].makeIterator() }
    }

    public struct MarkdownParsingOptions: Sendable {
        public enum InterpretedSyntax: Sendable { case full }
        public enum FailurePolicy: Sendable { case returnPartiallyParsedIfPossible }

        public init(
            allowsExtendedAttributes: Bool = false, interpretedSyntax: InterpretedSyntax = .full,
            failurePolicy: FailurePolicy = .returnPartiallyParsedIfPossible,
            languageCode: String? = nil
        ) {}
    }

    public init() {}
    public init(_ text: String) {}
    public init(_ substring: AttributedSubstring) {}
    public init(
        markdown: String, options: MarkdownParsingOptions = .init(), baseURL: URL? = nil
    ) throws {}
    public var runs: Runs { Runs() }
    public var presentationIntent: PresentationIntent?
    public var inlinePresentationIntent: InlinePresentationIntent?
    public subscript(range: Range<Index>) -> AttributedSubstring { AttributedSubstring() }
    public static func + (left: AttributedString, right: AttributedString) -> AttributedString {
        left
    }
}

@MainActor open class UndoManager: NSObject {
    open func undo() {}
    open func redo() {}
    open func removeAllActions(withTarget target: Any) {}
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType,
        handler: @escaping @MainActor @Sendable (TargetType) -> Void
    ) {}
}
