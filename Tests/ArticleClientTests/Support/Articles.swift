import ArticleAPI
import Testing

func time(_ text: String) throws -> Timestamp {
    try #require(Timestamp(text))
}
