// Progressive enhancement: every page works without it.

/** Announces changes to screen readers. */
const liveRegion = document.createElement('p')
liveRegion.className = 'visually-hidden'
liveRegion.setAttribute('role', 'status')
document.body.append(liveRegion)

/**
 * Gives the response to a form the URL of its page, so that Reload and Back request the page. Otherwise browsers ask
 * whether to submit the form again.
 */
const { page: ownPath } = document.documentElement.dataset
if (ownPath) history.replaceState(null, '', ownPath)

async function copy(code) {
  // The clipboard API needs https or localhost; a server in a private network often has neither.
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent)
  const selection = getSelection()
  selection.selectAllChildren(code)
  const isCopied = document.execCommand('copy')
  selection.removeAllRanges()
  if (!isCopied) throw new Error('copying failed')
}

function showCopyButtons(root) {
  for (const button of root.querySelectorAll('[data-copy]')) {
    button.hidden = false
    const show = (text, icon) => {
      const { href } = button.querySelector('use')
      href.baseVal = href.baseVal.replace(/#.*/, icon)
      button.querySelector('span').textContent = text
    }
    button.addEventListener('click', async () => {
      const code = button.closest('.code').querySelector('code')
      try {
        await copy(code)
        show('Copied', '#check')
        liveRegion.textContent = 'Copied'
      } catch {
        getSelection().selectAllChildren(code)
        show('Selected', '#copy')
        liveRegion.textContent = 'Could not copy. The text is selected.'
      }
      setTimeout(() => {
        show('Copy', '#copy')
        liveRegion.textContent = ''
      }, 2000)
    })
  }
}

showCopyButtons(document)

/** Menus and confirmations close on Escape and on clicks outside. */
const openPopups = () => document.querySelectorAll('details.menu[open], details.confirm[open]')

document.addEventListener('click', ({ target }) => {
  for (const details of openPopups()) if (!details.contains(target)) details.open = false
})

document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  for (const details of openPopups()) {
    if (details.contains(document.activeElement)) details.querySelector('summary').focus()
    details.open = false
  }
})

/** Times in the reader's time zone, with UTC on hover. */
const localTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const shortTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

function showLocalTimes(root) {
  for (const time of root.querySelectorAll('time:not([title])')) {
    time.title = time.textContent
    time.textContent = ('short' in time.dataset ? shortTime : localTime).format(new Date(time.dateTime))
  }
}

showLocalTimes(document)

/** Slow forms show that they are busy and can only be submitted once. */
for (const form of document.querySelectorAll('form[data-busy]')) {
  let pressed = null
  form.addEventListener('submit', (event) => {
    if (pressed) return event.preventDefault()
    const button = event.submitter ?? form.querySelector('button')
    pressed = { button, label: button.textContent }
    button.ariaDisabled = 'true'
    button.textContent = form.dataset.busy
    liveRegion.textContent = form.dataset.busy
  })
  const restore = () => {
    if (!pressed) return
    pressed.button.ariaDisabled = null
    pressed.button.textContent = pressed.label
    pressed = null
  }
  // The back button restores the page with the button still disabled. Some browsers do not report that loading was stopped.
  addEventListener('pageshow', restore)
  globalThis.navigation?.addEventListener('navigateerror', restore)
}

/** A title that ends after the lines of its app, or the width of its image, is cut too. Only the browser can measure it. */
function markCutTitles() {
  for (const link of document.querySelectorAll('#app-marks a:not([data-state=none])')) {
    const title = document.querySelector(`${link.hash} .card .t`)
    const text = link.querySelector('span')
    if (!title || text.textContent.includes('title cut')) continue
    if (title.scrollHeight <= title.clientHeight + 1 && title.scrollWidth <= title.clientWidth + 1) continue
    link.dataset.state = 'cut'
    link.querySelector('.icon')?.remove()
    text.append(', title cut')
  }
}

markCutTitles()

/** The delay from the last change of a field to the request. */
const LIVE_DELAY_MS = 400

/** The delay from that request to the one for what is costly, such as new images. URLs that are being typed are not complete. */
const LATER_DELAY_MS = 1_200

/** Replaces an element and opens the same details in the new element. */
function replaceKeepingDetails(element, replacement) {
  const opened = Array.from(element.querySelectorAll('details'), ({ open }) => open)
  for (const [index, details] of replacement.querySelectorAll('details').entries()) details.open = opened[index]
  showCopyButtons(replacement)
  element.replaceWith(replacement)
}

/**
 * Forms whose result is shown while the user types. When a field in an element with `data-live` changes, the elements
 * whose ids `data-live` lists are replaced by elements of the response. If it has an element of the class `later`, the form is submitted
 * by its button after a pause.
 */
for (const form of document.querySelectorAll('form:has([data-live])')) {
  const failure = form.querySelector('[data-live-failure]')
  let timer
  let request = new AbortController()

  async function update(live, button) {
    request.abort()
    request = new AbortController()
    const { signal } = request
    if (button) button.ariaDisabled = 'true'
    try {
      const body = new URLSearchParams(new FormData(form, button))
      const response = await fetch(form.action, { method: 'POST', body, signal })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const elements = live.split(' ').map((id) => page.getElementById(id))
      // The result has expired, or the user has signed out in another tab.
      const isMissing = elements.includes(null)
      failure.hidden = !isMissing
      if (isMissing) return
      for (const element of elements) replaceKeepingDetails(document.getElementById(element.id), element)
      markCutTitles()
      liveRegion.textContent = 'Updated'
      // Once: what is still missing then, such as an image over the limit of images, would be missing again.
      if (!button && document.querySelector('.later')) {
        timer = setTimeout(update, LATER_DELAY_MS, live, form.querySelector('button[data-live]'))
      }
    } catch {
      // Unless a newer request replaced this one, the server is unreachable.
      if (!signal.aborted) failure.hidden = false
    } finally {
      if (button) button.ariaDisabled = null
    }
  }

  form.addEventListener('input', ({ target }) => {
    const live = target.closest('[data-live]')?.dataset.live
    if (!live) return
    // The response to an earlier request could replace the text that is being typed.
    request.abort()
    clearTimeout(timer)
    timer = setTimeout(update, LIVE_DELAY_MS, live)
  })
  // Submits in the background, so that the page keeps its scroll position.
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearTimeout(timer)
    const button = event.submitter ?? form.querySelector('button[data-live]')
    update(button.dataset.live, button)
  })
}

/** Shows the results of a search while the user types, on the page that has them. */
const searched = document.getElementById('results') && document.querySelector('form[data-live-search]')
if (searched) {
  let timer
  let request = new AbortController()

  async function search() {
    request = new AbortController()
    const url = `${searched.action}?${new URLSearchParams(new FormData(searched))}`
    try {
      const response = await fetch(url, { signal: request.signal })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      document.getElementById('results').replaceWith(page.getElementById('results'))
      history.replaceState(null, '', url)
      liveRegion.textContent = document.querySelector('#results p').textContent
    } catch {
      // The button still works.
    }
  }

  searched.addEventListener('input', () => {
    request.abort()
    clearTimeout(timer)
    timer = setTimeout(search, LIVE_DELAY_MS)
  })
}

/** Shows the numbers of the column under the pointer, or of the focused one, above the column and below the chart. */
for (const chart of document.querySelectorAll('.chart')) {
  const plot = chart.querySelector('.plot')
  const tooltip = document.createElement('p')
  tooltip.className = 'tooltip'
  tooltip.hidden = true
  // Columns have the same text as their name.
  tooltip.ariaHidden = 'true'
  plot.append(tooltip)
  for (const title of chart.querySelectorAll('.day title')) {
    title.parentElement.ariaLabel = title.textContent
    // The browser would show it on top of the tooltip.
    title.remove()
  }
  const show = (day) => {
    if (!day || !chart.contains(day)) return
    chart.querySelector('.day.shown')?.classList.remove('shown')
    day.classList.add('shown')
    tooltip.hidden = false
    tooltip.textContent = day.ariaLabel
    chart.querySelector('.value').textContent = day.ariaLabel
    const [column, area] = [day.getBoundingClientRect(), plot.getBoundingClientRect()]
    const farthest = area.width - tooltip.offsetWidth
    const left = column.left + (column.width - tooltip.offsetWidth) / 2 - area.left
    tooltip.style.left = `${Math.max(0, Math.min(left, farthest))}px`
  }
  // For touch, the event's target stays the element where the touch began.
  const point = ({ clientX, clientY }) => show(document.elementFromPoint(clientX, clientY)?.closest('.day'))
  const hide = () => (tooltip.hidden = true)
  chart.addEventListener('pointerdown', point)
  chart.addEventListener('pointermove', point)
  chart.addEventListener('focusin', ({ target }) => show(target.querySelector('.day')))
  chart.addEventListener('pointerleave', hide)
  chart.addEventListener('focusout', hide)
}

/** Submits filters when a field changes. Without scripts, their button does. */
for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
  for (const button of form.querySelectorAll('button')) button.hidden = true
  form.addEventListener('change', () => form.requestSubmit())
}

/** Remembers the chosen language of the examples. */
for (const group of document.querySelectorAll('[data-remember]')) {
  const name = `urlmeta.${group.dataset.remember}`
  try {
    const stored = localStorage.getItem(name)
    for (const radio of group.querySelectorAll('input')) if (radio.value === stored) radio.checked = true
    group.addEventListener('change', ({ target }) => localStorage.setItem(name, target.value))
  } catch {
    // Storage is disabled: the first language is shown.
  }
}

/**
 * Marks the section being read in the table of contents: the last section that starts in the upper third of the
 * window or above it; none before the first.
 */
const contents = Array.from(document.querySelectorAll('.toc a'))
const headings = contents.map((link) => document.getElementById(link.hash.slice(1)))

function markSection() {
  const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1
  const line = isAtEnd ? innerHeight : innerHeight / 3
  const current = headings.findLastIndex((heading) => heading.getBoundingClientRect().top < line)
  for (const [index, link] of contents.entries()) link.ariaCurrent = index === current ? 'true' : null
}

if (contents.length > 0) {
  markSection()
  addEventListener('scroll', markSection, { passive: true })
}
