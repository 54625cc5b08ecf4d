import { createApp, h, onMounted, shallowRef, Teleport } from 'vue'

import { loadArticle } from '../article.js'

const App = {
  setup() {
    const article = shallowRef(null)
    onMounted(async () => {
      article.value = await loadArticle('Vue')
      document.title = article.value.title
    })
    return () => (article.value === null ? h('p', 'Loading') : articleOf(article.value))
  },
}

function articleOf({ title, description, image }) {
  return [
    h(Teleport, { to: 'head' }, [
      h('meta', { property: 'og:title', content: title }),
      h('meta', { property: 'og:description', content: description }),
      h('meta', { property: 'og:image', content: image }),
    ]),
    h('h1', title),
    h('p', description),
  ]
}

createApp(App).mount('#root')
