// Niceties. Every page does its work without them.

/** Says it to those who do not see the button change. */
const voice = document.createElement('p')
voice.className = 'unseen'
voice.setAttribute('role', 'status')
document.body.append(voice)

async function copy(code) {
  // Browsers offer the clipboard on https and localhost alone; a server in a private network is often neither.
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent)
  const selection = getSelection()
  selection.selectAllChildren(code)
  const isDone = document.execCommand('copy')
  selection.removeAllRanges()
  if (!isDone) throw new Error('copy was refused')
}

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const code = button.closest('.code').querySelector('code')
    try {
      await copy(code)
      button.textContent = 'Copied'
      voice.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(code)
      button.textContent = 'Selected'
      voice.textContent = 'Could not copy. The text is selected.'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
      voice.textContent = ''
    }, 2000)
  })
}

/** Menus and questions close like those of any program. */
const openPops = () => document.querySelectorAll('details.menu[open], details.confirm[open]')

document.addEventListener('click', ({ target }) => {
  for (const details of openPops()) if (!details.contains(target)) details.open = false
})

document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  for (const details of openPops()) {
    if (details.contains(document.activeElement)) details.querySelector('summary').focus()
    details.open = false
  }
})

/** A form that takes its time says so, and is sent once. */
for (const form of document.querySelectorAll('form[data-busy]')) {
  const button = form.querySelector('button')
  const label = button.textContent
  form.addEventListener('submit', (event) => {
    if (button.ariaDisabled) return event.preventDefault()
    button.ariaDisabled = 'true'
    button.textContent = form.dataset.busy
    voice.textContent = form.dataset.busy
  })
  // Coming back, the browser shows the page as it was left.
  addEventListener('pageshow', () => {
    button.ariaDisabled = null
    button.textContent = label
  })
}

/** People paste `example.com`. */
for (const field of document.querySelectorAll('input[inputmode=url]')) {
  field.form.addEventListener('submit', () => {
    const text = field.value.trim()
    if (text !== '' && !/^[a-z][a-z\d+.-]*:\/\//i.test(text)) field.value = `https://${text}`
  })
}

/** The language of examples is chosen once. */
for (const group of document.querySelectorAll('[data-remember]')) {
  const name = `urlmeta.${group.dataset.remember}`
  try {
    const kept = localStorage.getItem(name)
    for (const radio of group.querySelectorAll('input')) if (radio.value === kept) radio.checked = true
    group.addEventListener('change', ({ target }) => localStorage.setItem(name, target.value))
  } catch {
    // Storage is turned off: the first language is shown.
  }
}
