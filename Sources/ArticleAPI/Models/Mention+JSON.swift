extension Author.Mention: JSONRepresentable {
    /// `{"id": …, "name": …}`, `{"name": …}` or just the name.
    public static let format = JSONCodec<Author.Mention>(
        schema: .either([
            .object(idShape.properties), .object(nameShape.properties), nameFormat.schema,
        ]),
        read: { value, reader in
            switch value {
            case .string: nameFormat.read(value, &reader).map(Author.Mention.name)
            case .object(let members) where members.contains { $0.name == "id" }:
                idShape.read(value, &reader).map { .id($0.id, name: $0.name) }
            default: nameShape.read(value, &reader).map { .name($0.name) }
            }
        },
        write: { mention, plan, writer in
            switch mention {
            case .id(let id, let name): idShape.write(ById(id: id, name: name), to: &writer)
            case .name(let name): nameShape.write(ByName(name: name), to: &writer)
            }
        },
        check: { mention, reader in
            switch mention {
            case .id(let id, let name): idShape.check(ById(id: id, name: name), &reader)
            case .name(let name): nameShape.check(ByName(name: name), &reader)
            }
        })

    private struct ById: Sendable {
        var id: Author.ID
        var name: String?
    }

    private struct ByName: Sendable {
        var name: String
    }

    private static let nameFormat = JSONCodec<String>.text(.line(ArticleLimits.authorName))
    private static let idShape = ObjectCodec(
        ById.init,
        .required("id", \.id, .identifier()),
        .optional("name", \.name, nameFormat))
    private static let nameShape = ObjectCodec(
        ByName.init, .required("name", \.name, nameFormat))
}

extension JSONCodec where Value == String {
    /// A tag by its display name, or as an article shows it: `{"key": …, "name": …}`.
    static let tagName = JSONCodec(
        schema: .either([nameOfTag.schema, Tag.shape.schema]),
        read: { value, reader in
            guard case .object = value else { return nameOfTag.read(value, &reader) }
            guard let tag = Tag.shape.read(value, &reader) else { return nil }
            if reader.isStrict, tag.key != Tag(named: tag.name).key {
                reader.reading(.name("key")) {
                    $0.report(.refused("does not belong to this tag; omit it"))
                }
                return nil
            }
            return tag.name
        },
        write: { name, _, writer in writer.string(name) },
        check: nameOfTag.check)

    private static let nameOfTag = JSONCodec.text(TextCodec.tagName)
}

extension TextCodec where Value == String {
    /// The display name of a tag; its key must not be empty.
    fileprivate static var tagName: TextCodec {
        let line = TextCodec.line(ArticleLimits.tag)
        return TextCodec(
            line.expectation, line.schema, parse: line.parse, print: line.print,
            fault: { name in
                line.fault(name) ?? (Tag(named: name).key.isEmpty ? "is invisible" : nil)
            })
    }
}
