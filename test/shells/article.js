// What every shell is about, and when it gets to know: the last part of the path says it.
const ARRIVALS = {
  // As soon as the application runs.
  now: () => Promise.resolve(),
  // After an answer of the site's own interface.
  fetched: () => fetch('/article.json').then((response) => response.json()),
  // By a timer that nothing announces.
  late: () => new Promise((resolve) => setTimeout(resolve, 1_000)),
}

/** The title names the framework, so that no shell can pass with another's. */
export async function loadArticle(framework) {
  const arrival = location.pathname.split('/').at(-1)
  await ARRIVALS[arrival]()
  return {
    title: `${framework}: an article that came ${arrival}`,
    description: `Written by ${framework} in the browser`,
    image: '/cover.png',
  }
}
