import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// The search of the running program.
@Suite(.mayBlock) struct SearchTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    /// The slugs that a search finds, once the index has caught up; `nil` while it has not.
    private func slugs(_ query: String, _ served: RunningServer) throws -> [String]? {
        let response = try served.client.get("/v1/search?q=\(query)&fields=slug")
        guard response.status == 200 else {
            // Every attempt counts for the rate limit.
            #expect([429, 503].contains(response.status), "\(response.text)")
            return nil
        }
        let page = try SearchPage<PartialArticle>(mapping: response.body)
        return page.items.compactMap(\.article.slug)
    }

    @Test func `an article is found soon after it was written, and after a restart`() async throws {
        let served = try RunningServer(database, ["--samples"])
        let made = try served.send(
            .post, "/v1/articles",
            #"{"title":"Quokkas smile","body":"On Rottnest.","status":"published"}"#)
        #expect(made.status == 201)
        #expect(await eventually { (try? slugs("quokkas", served)) == ["quokkas-smile"] })
        #expect(try slugs("rottnest", served) == ["quokkas-smile"])
        let all = try slugs("a", served)
        #expect(served.stop() == 0)

        let again = try RunningServer(database)
        #expect(await eventually { (try? slugs("quokkas", again)) == ["quokkas-smile"] })
        #expect(try slugs("a", again) == all)
        let location = try #require(made.fields[.location])
        #expect(try again.send(.delete, location).status == 204)
        #expect(try slugs("quokkas", again) == [])
        #expect(again.stop() == 0)
    }

    /// Creates more articles than are kept in memory, and waits until they are indexed.
    private func fill(_ served: RunningServer) async throws {
        for number in 0..<300 {
            let made = try served.send(
                .post, "/v1/articles",
                #"{"title":"Common number\#(number)","status":"published"}"#)
            #expect(made.status == 201)
        }
        #expect(await eventually { (try? slugs("number299", served)) == ["common-number299"] })
    }

    @Test func `an index of many articles is stored, and checked`() async throws {
        let served = try RunningServer(database)
        try await fill(served)
        #expect(served.stop() == 0)
        let check = try Program.run("check", "--database", database)
        #expect(check.status == 0, "\(check.output)")

        let again = try RunningServer(database)
        #expect(await eventually { (try? slugs("number7", again))?.isEmpty == false })
        #expect(try slugs("number299", again) == ["common-number299"])
        #expect(again.stop() == 0)
    }

    @Test
    func `a damaged index is reported, and built again by the server that is asked for a check`()
        async throws
    {
        let served = try RunningServer(database)
        let made = try served.send(
            .post, "/v1/articles", #"{"title":"Quokkas smile","status":"published"}"#)
        #expect(made.status == 201)
        try await fill(served)
        #expect(served.stop() == 0)

        // A block has the length of what follows, the word, and the size of its documents.
        let key = [7] + Array("quokkas".utf8) + [2]
        var image = try bytes(of: database)
        let place = try #require(
            image.indices.first { image[$0] == 7 && image[$0...].starts(with: key) })
        image[place + 7] = UInt8(ascii: "z")
        try write(image, to: database)
        let check = try Program.run("check", "--database", database)
        #expect(check.status != 0 && "\(check.output)".contains("the search index"))
        let doctor = try Program.run("doctor", "--database", database, "--listen", "127.0.0.1:0")
        #expect("\(doctor.output)".contains("serve it and run this again"), "\(doctor.output)")

        let again = try RunningServer(database)
        #expect(await eventually { (try? slugs("number299", again)) == ["common-number299"] })
        let found = try Program.run("check", "--database", database)
        #expect(found.status != 0 && "\(found.output)".contains("the search index"))
        #expect(await eventually { (try? slugs("quokkas", again)) == ["quokkas-smile"] })
        #expect(
            await eventually { (try? Program.run("check", "--database", database))?.status == 0 })
        #expect(again.stop() == 0)
    }
}
