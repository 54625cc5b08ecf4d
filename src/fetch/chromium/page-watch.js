// This script runs in every rendered page, in an isolated world: it sees the page's document, but the page's own
// scripts can neither see nor change this script. `urlmetaReport` is the binding to the service.
;(() => {
  if (window !== window.top) return

  // Changes come in bursts: report the first one immediately, and the others together after this time.
  const REPORT_EVERY_MS = 20
  // Bounds the cost of comparing the metadata.
  const MAX_ELEMENTS = 200
  const MAX_TEXT = 4_096

  // Scripts can change `location` later without loading another document.
  const url = location.href
  let changes = 0
  let previous = ''
  let isScheduled = false
  // Stays true when scripts remove their own elements.
  let hasScripts = false

  const contentOf = (key) => {
    const element = document.querySelector(`meta[property="${key}" i], meta[name="${key}" i]`)
    return (element?.getAttribute('content') ?? '').trim()
  }

  const report = () => {
    const elements = [...document.querySelectorAll('title, meta, link[rel="canonical" i]')].slice(0, MAX_ELEMENTS)
    const metadata = elements
      .map((element) => element.outerHTML)
      .join('\n')
      .slice(0, MAX_TEXT * MAX_ELEMENTS)
    const isParsed = document.readyState !== 'loading'
    hasScripts ||= document.scripts.length > 0
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
        openGraphTitle: contentOf('og:title').slice(0, MAX_TEXT),
        changes,
      }),
    )
  }

  const reportSoon = () => {
    if (isScheduled) return
    isScheduled = true
    report()
    setTimeout(() => {
      isScheduled = false
      report()
    }, REPORT_EVERY_MS)
  }

  report()
  addEventListener('DOMContentLoaded', report)
  new MutationObserver(reportSoon).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['content', 'href', 'name', 'property', 'rel'],
  })
})()
