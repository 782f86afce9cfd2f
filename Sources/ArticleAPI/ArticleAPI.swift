// ArticleAPI
