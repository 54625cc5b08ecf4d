import { loadArticle } from '../article.js'

const { title, description, image } = await loadArticle('No framework')

document.title = title
for (const [property, content] of Object.entries({
  'og:title': title,
  'og:description': description,
  'og:image': image,
})) {
  const meta = document.createElement('meta')
  meta.setAttribute('property', property)
  meta.content = content
  document.head.append(meta)
}
const heading = document.createElement('h1')
heading.textContent = title
document.getElementById('root').replaceChildren(heading)
