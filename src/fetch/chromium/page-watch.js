// Runs inside every page that is rendered, in a world of its own: it sees the page's document, while the page's scripts
// see nothing of it and cannot change what it works with. `urlmetaReport` is the binding to the service.
;(() => {
  if (window !== window.top) return

  // Changes come in bursts; a look at the first and one a little later are enough.
  const LOOK_EVERY_MS = 20
  // Metadata beyond this is not worth comparing.
  const MAX_ELEMENTS = 200
  const MAX_TEXT = 4_096

  // Scripts may change what the address bar would say, but not where the document came from.
  const url = location.href
  let changes = 0
  let previous = ''
  let isLooking = false

  const contentOf = (key) => {
    const element = document.querySelector(`meta[property="${key}" i], meta[name="${key}" i]`)
    return (element?.getAttribute('content') ?? '').trim()
  }

  const isFilledIn = (text) => text !== '' && !text.includes('{{')

  const report = () => {
    const elements = [...document.querySelectorAll('title, meta, link[rel="canonical" i]')].slice(0, MAX_ELEMENTS)
    const metadata = elements
      .map((element) => element.outerHTML)
      .join('\n')
      .slice(0, MAX_TEXT * MAX_ELEMENTS)
    const isParsed = document.readyState !== 'loading'
    const hasScripts = document.scripts.length > 0
    const state = `${isParsed} ${hasScripts}\n${metadata}`
    if (state === previous) return
    previous = state
    changes++
    urlmetaReport(
      JSON.stringify({
        url,
        contentType: document.contentType,
        isParsed,
        hasScripts,
        hasOpenGraphTitle: isFilledIn(contentOf('og:title').slice(0, MAX_TEXT)),
        changes,
      }),
    )
  }

  const look = () => {
    if (isLooking) return
    isLooking = true
    report()
    setTimeout(() => {
      isLooking = false
      report()
    }, LOOK_EVERY_MS)
  }

  report()
  addEventListener('DOMContentLoaded', report)
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['content', 'href', 'name', 'property', 'rel'],
  })
})()
