@_exported import Foundation

// MARK: Views

private func noBody() -> Never { fatalError("programmer error: a stub is shown") }

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { noBody() }
}

@resultBuilder public struct ViewBuilder {
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { _ConditionalContent() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { _ConditionalContent() }
}

public struct _ConditionalContent<First, Second>: View {
    public var body: Never { noBody() }
}

public struct TupleView<Content>: View {
    public var body: Never { noBody() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { noBody() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View where Content: View {
    public init(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable, ID == Data.Element.ID {}
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
    public var body: Never { noBody() }
}

public struct HorizontalAlignment: Sendable {
    public static let leading = HorizontalAlignment()
}

public struct VerticalAlignment: Sendable {
    public static let firstTextBaseline = VerticalAlignment()
}

public struct Alignment: Sendable {
    public static let leading = Alignment()
}

public struct LazyVStack<Content: View>: View {
    public init(
        alignment: HorizontalAlignment, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { noBody() }
}

public struct HStack<Content: View>: View {
    public init(
        alignment: VerticalAlignment, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { noBody() }
}

public struct ScrollView<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { noBody() }
}

public struct Divider: View {
    public init() {}
    public var body: Never { noBody() }
}

public struct Font: Sendable, Hashable {
    public enum TextStyle: Sendable { case body }
    public enum Design: Sendable { case monospaced }
    public static let title = Font()
    public static let title2 = Font()
    public static let title3 = Font()
    public static let headline = Font()
    public static let body = Font()
    public static func system(
        _ style: TextStyle, design: Design? = nil
    ) -> Font { Font() }
}

public struct Edge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let leading = Set(rawValue: 1)
    }
}

public struct AccessibilityTraits: Sendable {
    public static let isHeader = AccessibilityTraits()
}

public struct List<Content: View>: View {
    public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {}
    public var body: Never { noBody() }
}

public struct VStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { noBody() }
}

/// Previews are made by a protocol: the macro of the same purpose needs a plugin.
@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

public struct Text: View {
    public init(_ content: String) {}
    public init(_ content: AttributedString) {}
    public var body: Never { noBody() }
}

extension View {
    public func font(_ font: Font?) -> some View { self }
    public func padding(_ edges: Edge.Set, _ length: CGFloat?) -> some View { self }
    public func frame(maxWidth: CGFloat?, alignment: Alignment) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func task<ID: Equatable>(
        id: ID, @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
    public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { self }
}

// MARK: Properties

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let keyPath: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue value: Value) { self.value = value }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    private let value: Value
}
