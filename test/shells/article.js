// The content of every shell. The last segment of the path determines when the shell gets it.
const ARRIVALS = {
  // As soon as the application runs.
  now: () => Promise.resolve(),
  // After a response from the site's API.
  fetched: () => fetch('/article.json').then((response) => response.json()),
  // After a timer, without a request.
  late: () => new Promise((resolve) => setTimeout(resolve, 1_000)),
}

/** The title names the framework, so that a test of one shell cannot pass with another shell. */
export async function loadArticle(framework) {
  const arrival = location.pathname.split('/').at(-1)
  await ARRIVALS[arrival]()
  return {
    title: `${framework}: an article that came ${arrival}`,
    description: `Written by ${framework} in the browser`,
    image: '/cover.png',
  }
}
