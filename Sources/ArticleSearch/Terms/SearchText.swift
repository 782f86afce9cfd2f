/// A document, read into words once: for its keys, for comparing it with a query, and for marking
/// matches. A value; use it anywhere.
package struct SearchText: Sendable {
    package let document: SearchDocument

    package init(_ document: SearchDocument) { self.document = document }
}
