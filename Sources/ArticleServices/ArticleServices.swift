// ArticleServices
