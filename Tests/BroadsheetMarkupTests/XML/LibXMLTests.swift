import CBroadsheetXML
import Testing

@testable import BroadsheetMarkup

/// The behaviour of libxml2 in a process by itself.
@Suite struct LibXMLTests {
    /// Reads a document that is not well-formed with a parser of libxml2's, whose errors go where
    /// the errors of all go that no parser of ours receives.
    static func fail() {
        xmlFreeDoc(xmlReadMemory("<a", 2, nil, nil, 0))
    }

    @Test func `errors that belong to no parser are not written to stderr`() async throws {
        let ended = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            LibXML.initialize()
            LibXMLTests.fail()
            await Task.detached { LibXMLTests.fail() }.value
        }
        #expect(try #require(ended).standardErrorContent.isEmpty)
    }

    @Test func `without us, libxml2 writes them there`() async throws {
        let ended = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { LibXMLTests.fail() }
        #expect(try !#require(ended).standardErrorContent.isEmpty)
    }

    @Test func `a declaration that reaches the parser ends the document`() throws {
        let parser = try XMLParser(XMLLimits(), firstLine: 1)
        parser.push(Array("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".utf8))
        #expect(parser.failure?.reason == .declarations)
    }
}
