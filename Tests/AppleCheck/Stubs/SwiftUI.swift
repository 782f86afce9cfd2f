// What the samples use. Previews are made by a protocol: the macro of the same purpose needs a
// plugin.

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct TupleView<T>: View {
    nonisolated init() {}
    public var body: Never { neverBuilt() }
}

public struct VStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { neverBuilt() }
}

public struct Text: View {
    public init<S: StringProtocol>(_ content: S) {}
    public var body: Never { neverBuilt() }
}

/// Nothing here is run.
private func neverBuilt() -> Never { fatalError("programmer error: a stub is not run") }

extension Never: View {
    public var body: Never { neverBuilt() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { neverBuilt() }
}
