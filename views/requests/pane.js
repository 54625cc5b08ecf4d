// The end of script.js, whose functions it uses.

/**
 * Opens the links that `data-pane` names in an element beside them, where there is room for both. The element is that of
 * the linked page, whose URL the page gets.
 */
const hasPanes = matchMedia('(min-width: 68.75rem)')
let paneRequest = new AbortController()

async function openPane(url, id = 'request') {
  paneRequest.abort()
  paneRequest = new AbortController()
  const { signal } = paneRequest
  try {
    const response = await fetch(url, { signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const pane = page.getElementById(id)
    showLocalTimes(pane)
    showCopyButtons(pane)
    const current = document.querySelector('[data-pane][aria-current]')
    const hadFocus = document.getElementById(id).contains(document.activeElement)
    document.getElementById(id).replaceWith(pane)
    for (const link of document.querySelectorAll('[data-pane]')) {
      // The close link of the pane is not one of the list.
      link.ariaCurrent = link.href === url && !pane.contains(link) ? 'true' : null
    }
    if (hadFocus) current?.focus()
    document.title = page.title
    liveRegion.textContent = pane.hidden ? 'Closed' : 'Details shown beside the list'
    return true
  } catch {
    // Signed out in another tab, or the server is unreachable: the browser shows what it gets.
    if (!signal.aborted) location.assign(url)
    return false
  }
}

document.addEventListener('click', async (event) => {
  const link = event.target.closest('a[data-pane]')
  const opensElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
  if (!link || opensElsewhere || !hasPanes.matches || !document.getElementById(link.dataset.pane)) return
  event.preventDefault()
  if (await openPane(link.href, link.dataset.pane)) history.pushState(null, '', link.href)
})

if (document.getElementById('request')) addEventListener('popstate', () => openPane(location.href.split('#')[0]))
