import { createElement, Fragment, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

import { loadArticle } from '../article.js'

// React moves title and meta elements to the head by itself.
function Article({ title, description, image }) {
  return createElement(
    Fragment,
    null,
    createElement('title', null, title),
    createElement('meta', { property: 'og:title', content: title }),
    createElement('meta', { property: 'og:description', content: description }),
    createElement('meta', { property: 'og:image', content: image }),
    createElement('h1', null, title),
    createElement('p', null, description),
  )
}

function App() {
  const [article, setArticle] = useState(null)
  useEffect(() => void loadArticle('React').then(setArticle), [])
  return article === null ? createElement('p', null, 'Loading') : createElement(Article, article)
}

createRoot(document.getElementById('root')).render(createElement(App))
