import BroadsheetKit
import Foundation
import SwiftUI

struct ArticleText: View {
    let article: Article

    var body: some View {
        ScrollView { ArticleBody(article.body ?? "") }
    }
}

/// The headings of an article, for a table of contents.
func headings(of article: Article) -> [AttributedString] {
    var found: [AttributedString] = []
    for block in MarkdownBlock.blocks(of: article.body ?? "") {
        if case .heading = block.kind { found += block.contents }
    }
    return found
}
