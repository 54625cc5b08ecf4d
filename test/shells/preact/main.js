import { Fragment, h, render } from 'preact'
import { createPortal } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'

import { loadArticle } from '../article.js'

function App() {
  const [article, setArticle] = useState(null)
  useEffect(() => void loadArticle('Preact').then(setArticle), [])
  useEffect(() => {
    if (article) document.title = article.title
  }, [article])
  if (article === null) return h('p', null, 'Loading')
  const { title, description, image } = article
  const tags = h(Fragment, null, [
    h('meta', { property: 'og:title', content: title }),
    h('meta', { property: 'og:description', content: description }),
    h('meta', { property: 'og:image', content: image }),
  ])
  return h(Fragment, null, [createPortal(tags, document.head), h('h1', null, title), h('p', null, description)])
}

render(h(App), document.getElementById('root'))
