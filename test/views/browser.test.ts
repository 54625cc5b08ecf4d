import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium as browserType, type Page } from 'playwright-core'

import { chromium, describeChromium } from '../requirements.ts'
import { typicalCases } from '../thorough.ts'
import { servePreview } from './preview.ts'
import { SAMPLES } from './samples.tsx'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

/** Longer than any page is wide, without a break opportunity. */
const LONG_WORD = 'W'.repeat(200)

/**
 * Marks the elements that no earlier sample had at the same place. The contrast of the others is known, because their
 * content, ancestors, the siblings of those, and therefore their styles are the same.
 */
const MARK_NEW_ELEMENTS = `{
  globalThis.known ??= new Map()
  const numberOf = (key) => {
    if (!known.has(key)) known.set(key, known.size)
    return known.get(key)
  }
  const tagOf = (element) => element.cloneNode().outerHTML
  const mark = (element, place) => {
    const key = place + element.outerHTML
    if (known.has(key)) return
    numberOf(key)
    const children = [...element.children]
    const inside = numberOf(place + [element, ...children].map(tagOf).join(''))
    for (const child of children) mark(child, inside)
    element.dataset.new = ''
  }
  mark(document.body, '')
}`

describeChromium('in a browser', () => {
  let browser: Browser
  let server: ReturnType<typeof servePreview>
  /** As narrow as WCAG 1.4.10 (Reflow) requires, for all samples in turn. */
  let narrowPage: Page
  /** Has loaded axe. Samples are written into its document, because loading axe takes longer than running it. */
  let axePage: Page
  /** For `visit`. Opening a sample in an open page takes a third of the time of a new page. */
  let pages: Record<'scripted' | 'scriptless', Page>
  /** Errors, violations of the policy, and requests to other origins by the current sample. */
  let complaints: string[] = []
  beforeAll(async () => {
    server = servePreview()
    browser = await browserType.launch({ executablePath: chromium! })
    narrowPage = await openPage({ viewport: { width: 320, height: 640 } })
    axePage = await openPage()
    await axePage.goto(server.url.href + SAMPLES[0]!.name)
    await axePage.evaluate(axe.source)
    await axePage.evaluate("axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-new]' }] })")
    pages = {
      scripted: await openPage({ permissions: ['clipboard-read', 'clipboard-write'] }),
      scriptless: await openPage({ javaScriptEnabled: false }),
    }
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await browser.close()
    await server.stop(true)
  })

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url.href)) complaints.push(request.url())
    })
    return page
  }

  /** Opens a sample; fails when the sample contacts another origin or violates its policy. */
  async function visit(name: string, use: (page: Page) => Promise<void>, hasScript = true) {
    const page = pages[hasScript ? 'scripted' : 'scriptless']
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.emulateMedia({ forcedColors: null })
    await page.unrouteAll()
    complaints = []
    await page.goto(server.url.href + name)
    await use(page)
    expect(complaints).toEqual([])
  }

  /** Violations of axe's rules, or of one rule, in `axePage`, with their elements. */
  async function violationsOf(rule?: string): Promise<string[]> {
    // Without `preload`, which loads style sheets again for rules that are off, and media, which the samples do not have.
    const options = { resultTypes: ['violations'], preload: false, ...(rule && { runOnly: [rule] }) }
    const { violations } = await axePage.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  }

  /** Opens a sample in `narrowPage`, and returns its document after its script has run. */
  async function openNarrow(name: string): Promise<string> {
    complaints = []
    await narrowPage.goto(server.url.href + name)
    const { width, html } = await narrowPage.evaluate<{ width: number; html: string }>(`({
      width: document.documentElement.scrollWidth,
      html: '<!doctype html>' + document.documentElement.outerHTML,
    })`)
    expect(width).toBeLessThanOrEqual(320)
    return html
  }

  // By default the first sample of each view and those with an error.
  const examined = typicalCases(
    SAMPLES,
    ({ name, view }, i) => SAMPLES.findIndex((one) => one.view === view) === i || /-(?:error|problem)$/.test(name),
  )

  test.each(SAMPLES.filter((one) => !examined.includes(one)).map(({ name }) => name))(
    '%s: fits into 320 px, and contacts no other origin',
    async (name) => {
      await openNarrow(name)
      expect(complaints).toEqual([])
    },
  )

  test.each(examined.map(({ name }) => name))(
    '%s: is accessible in light and dark, fits into 320 px with any text, and contacts no other origin',
    async (name) => {
      const html = await openNarrow(name)
      const longText = JSON.stringify(await (await fetch(`${server.url.href}${name}?text=${LONG_WORD}`)).text())
      const widthOfLongText = await narrowPage.evaluate<number>(`
        document.body.replaceWith(new DOMParser().parseFromString(${longText}, 'text/html').body)
        document.documentElement.scrollWidth
      `)
      expect(widthOfLongText).toBeLessThanOrEqual(320)

      // Without the script, which cannot run twice in a document.
      await axePage.setContent(html.replaceAll(/<script[^>]*><\/script>/g, ''))
      // The content of confirmations and menus is checked too.
      await axePage.evaluate(`
        for (const details of document.querySelectorAll('details')) details.open = true
        ${MARK_NEW_ELEMENTS}
      `)
      await axePage.emulateMedia({ colorScheme: 'light' })
      expect(await violationsOf()).toEqual([])
      // Only colors differ in dark mode.
      await axePage.emulateMedia({ colorScheme: 'dark' })
      expect(await violationsOf('color-contrast')).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test('the script causes no layout shift', async () => {
    const heights: number[] = []
    for (const hasScript of [true, false]) {
      await visit(
        'keys-created',
        async (page) => {
          const box = await page.locator('footer').boundingBox()
          heights.push(box!.y)
        },
        hasScript,
      )
    }
    expect(heights[0]).toBe(heights[1]!)
  })

  test('a tap on a day of the chart shows its numbers; without scripts those of the last day are shown', async () => {
    const last = '20 Nov: '
    await visit(
      'usage',
      async (page) => expect(await page.locator('.chart .value').innerText()).toStartWith(last),
      false,
    )
    await visit('usage', async (page) => {
      const { height } = (await page.locator('main').boundingBox())!
      const day = page.locator('.chart .day').nth(11)
      const box = (await day.boundingBox())!
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
      const value = page.locator('.chart .value')
      expect(await value.innerText()).toBe((await day.getAttribute('aria-label'))!)
      expect(await value.innerText()).toStartWith('2 Nov: ')
      expect((await page.locator('main').boundingBox())!.height).toBe(height)
    })
  })

  test('a column of the chart has its numbers above it, by pointer and by keyboard, at the edges too', async () => {
    await visit('usage', async (page) => {
      const tooltip = page.locator('.chart .tooltip')
      const chart = (await page.locator('.chart').boundingBox())!
      expect(await tooltip.isVisible()).toBe(false)
      const count = await page.locator('.chart .day').count()
      for (const index of [0, 11, count - 1]) {
        const day = page.locator('.chart .day').nth(index)
        const box = (await day.boundingBox())!
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
        expect(await tooltip.innerText()).toBe((await day.getAttribute('aria-label'))!)
        const shown = (await tooltip.boundingBox())!
        expect(shown.x).toBeGreaterThanOrEqual(chart.x)
        expect(shown.x + shown.width).toBeLessThanOrEqual(chart.x + chart.width + 1)
        expect(shown.x).toBeLessThanOrEqual(box.x + box.width)
        expect(shown.x + shown.width).toBeGreaterThanOrEqual(box.x)
        expect(shown.y + shown.height).toBeLessThanOrEqual(box.y)
      }
      await page.mouse.move(0, 0)
      expect(await tooltip.isVisible()).toBe(false)
      await page.locator('.chart').getByRole('link', { name: '16 Nov: 333 successful requests' }).focus()
      expect(await tooltip.innerText()).toStartWith('16 Nov: 333')
    })
  })

  test('a column of the chart leads to its requests, by keyboard and without scripts', async () => {
    await visit(
      'usage',
      async (page) => {
        const column = page.locator('.chart').getByRole('link', { name: '16 Nov: 333 successful requests' })
        await column.press('Enter')
        await page.waitForURL('**/usage/requests?day=2026-11-16')
      },
      false,
    )
  })

  test('a filter is submitted when a selection changes, and by its button without scripts', async () => {
    const submittedTo = async (page: Page) => {
      await page.waitForURL('**/usage/requests?*')
      return new URL(page.url()).search
    }
    await visit('requests', async (page) => {
      await page.locator('#result').selectOption('failed')
      expect(await submittedTo(page)).toBe('?q=&result=failed&key=&day=')
    })
    await visit(
      'requests',
      async (page) => {
        await page.locator('#result').selectOption('failed')
        await page.getByRole('button', { name: 'Show' }).click()
        expect(await submittedTo(page)).toBe('?q=&result=failed&key=&day=')
      },
      false,
    )
  })

  test.each([true, false])(
    'the first request of the log is in the upper half of the window; scripts: %p',
    async (hasScript) => {
      await visit(
        'requests',
        async (page) => {
          await page.setViewportSize({ width: 1280, height: 800 })
          const rows = page.locator('.requests > li')
          const [first, second] = [(await rows.nth(0).boundingBox())!, (await rows.nth(1).boundingBox())!]
          expect(first.y).toBeLessThan(400)
          // One line.
          expect(second.y - first.y).toBeLessThan(48)
          await page.setViewportSize({ width: 390, height: 800 })
          expect((await rows.nth(0).boundingBox())!.y).toBeLessThan(400)
          // Two lines.
          for (const row of await rows.all()) expect((await row.boundingBox())!.height).toBeLessThan(64)
        },
        hasScript,
      )
    },
  )

  test('the times of requests are local with UTC on hover, and UTC without scripts', async () => {
    await visit('requests', async (page) => {
      const time = page.locator('.requests time').first()
      expect(await time.getAttribute('title')).toBe('20 Nov, 12:34:56 UTC')
      const local = `new Date('2026-11-20T12:34:56Z').toLocaleTimeString('en-GB')`
      expect(await time.innerText()).toBe(`20 Nov, ${await page.evaluate<string>(local)}`)
    })
    const expectUtc = async (page: Page) =>
      expect(await page.locator('.requests time').first().innerText()).toBe('20 Nov, 12:34:56 UTC')
    await visit('requests', expectUtc, false)
  })

  test('a request is beside the list from 1,100 px, and instead of it below', async () => {
    await visit('request', async (page) => {
      const [list, detail] = [page.locator('.requests'), page.locator('#request')]
      for (const width of [1100, 1280, 1680]) {
        await page.setViewportSize({ width, height: 800 })
        const [left, right] = [(await list.boundingBox())!, (await detail.boundingBox())!]
        expect(right.x).toBeGreaterThan(left.x + left.width)
        expect(right.y).toBeLessThan(400)
      }
      await page.setViewportSize({ width: 1099, height: 800 })
      expect([await list.isVisible(), await detail.isVisible()]).toEqual([false, true])
    })
  })

  test('a key is copied, and this is announced', async () => {
    await visit('keys-created', async (page) => {
      await page.getByRole('button', { name: 'Copy' }).first().click()
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' })
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
        'urlmeta_live_3b5f0c9a7d1e4826b0f3a9c85d7e6142',
      )
    })
  })

  test('a confirmation opens by keyboard and closes with Escape, which restores the focus', async () => {
    await visit('keys', async (page) => {
      const summary = page.locator('.confirm summary').first()
      await summary.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Deactivate permanently' }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Escape')
      expect(await page.getByRole('button', { name: 'Deactivate permanently' }).isVisible()).toBe(false)
      expect(await page.locator(':focus').textContent()).toContain('Deactivate key')
    })
  })

  test('the contents of the documentation mark the section being read', async () => {
    await visit('docs', async (page) => {
      const current = (text: string) => page.locator('.toc [aria-current]', { hasText: text })
      await page.getByRole('link', { name: 'Errors' }).click()
      await current('Errors').waitFor()
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await current('Limits').waitFor()
      expect(await page.locator('.toc [aria-current]').count()).toBe(1)
    })
    // None above the first section.
    await visit('document', async (page) => {
      const top = await page
        .locator('.doc-body h2')
        .first()
        .evaluate((heading) => heading.getBoundingClientRect().top)
      await page.setViewportSize({ width: 1280, height: 2 * Math.round(top) })
      await page.reload()
      expect(await page.locator('.toc [aria-current]').count()).toBe(0)
    })
  })

  test('the whole row of a menu can be clicked', async () => {
    await visit('keys', async (page) => {
      await page.locator('.menu summary').click()
      const menu = (await page.locator('.menu .pop').boundingBox())!
      for (const name of ['Account', 'Sign out']) {
        const item = (await page.locator('.menu .item', { hasText: name }).boundingBox())!
        expect([name, item.width > menu.width - 20, item.height > 32]).toEqual([name, true, true])
      }
    })
  })

  const openEditor = (page: Page) => page.getByText('Edit tags', { exact: true }).click()

  async function openHtml(page: Page) {
    await openEditor(page)
    await page.getByText('HTML', { exact: true }).click()
  }

  test('while tags are edited, the cards and fields change and the text field keeps its focus', async () => {
    await visit('playground', async (page) => {
      await openEditor(page)
      await page.locator('.limits summary').nth(1).click()
      await page.getByText('HTML', { exact: true }).click()
      const field = page.locator('textarea[name=tags]')
      await field.fill('<title>New</title>')
      await page.getByText('These cards show your edited tags.').waitFor()
      expect(
        await page.locator('.limits').evaluateAll((items) => items.map((item) => item.hasAttribute('open'))),
      ).toEqual(Array.from({ length: 6 }, (_, index) => index === 1))
      expect(await page.locator('.facebook .t').textContent()).toContain('Where to find the northern lights')
      expect(await page.locator('#title').inputValue()).toContain('Where to find the northern lights')
      expect(await page.locator(':focus').getAttribute('name')).toBe('tags')
      expect(await field.inputValue()).toBe('<title>New</title>')
      expect(new URL(page.url()).pathname).toBe('/playground')
    })
  })

  test('when the cards cannot be updated any more, the page says so', async () => {
    await visit('playground', async (page) => {
      await page.route('**/tags', (route) => route.fulfill({ contentType: 'text/html', body: 'expired' }))
      await openHtml(page)
      const alert = page.getByText('The cards cannot be updated')
      expect(await alert.isVisible()).toBe(false)
      await page.locator('textarea[name=tags]').fill('<title>New</title>')
      await alert.waitFor()
      await page.unroute('**/tags')
      await page.locator('textarea[name=tags]').fill('<title>Newer</title>')
      await alert.waitFor({ state: 'hidden' })
      await page.route('**/tags', (route) => route.abort())
      await page.locator('textarea[name=tags]').fill('<title>Newest</title>')
      await alert.waitFor()
      await page.unroute('**/tags')
      await page.getByRole('button', { name: 'Update cards' }).click()
      await alert.waitFor({ state: 'hidden' })
      expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
    })
  })

  test('what is typed while the cards are updated is kept', async () => {
    await visit('playground', async (page) => {
      const typed = Promise.withResolvers<void>()
      await page.route('**/tags', async (route) => {
        await typed.promise
        await route.continue()
      })
      await openEditor(page)
      await page.getByRole('button', { name: 'Update cards' }).click()
      await page.locator('#title').fill('Typed')
      typed.resolve()
      await page.getByText('These cards show your edited tags.').waitFor()
      expect(await page.locator('#title').inputValue()).toBe('Typed')
      expect(await page.evaluate<string>('document.activeElement.id')).toBe('title')
      await page.unroute('**/tags')
    })
  })

  test('while fields are edited, the HTML, the limits and the corrected tags change, which can be copied', async () => {
    await visit('playground', async (page) => {
      await openEditor(page)
      await page.locator('#title').fill('Typed')
      await page.getByText('These cards show your edited tags.').waitFor()
      expect(await page.locator(':focus').inputValue()).toBe('Typed')
      expect(await page.locator('#tags').inputValue()).toContain('Where to find')
      await page.getByRole('button', { name: 'Update cards' }).click()
      await page.locator('#title[value*="Where to find"]').waitFor()
      expect(new URL(page.url()).pathname).toBe('/playground')
      await page.getByText('Corrected tags', { exact: true }).click()
      await page.locator('.editor').getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' })
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('Where to find')
    })
  })

  test.each([true, false])(
    'the editor is closed, so that the cards have two columns, and opens beside or above them: script %p',
    async (hasScript) => {
      await visit(
        'playground',
        async (page) => {
          const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x
          const columns = () =>
            page.locator('.previews > li').evaluateAll((items) => {
              return new Set(items.map((item) => item.getBoundingClientRect().left)).size
            })
          for (const width of [1100, 1680]) {
            await page.setViewportSize({ width, height: 800 })
            expect(await columns()).toBe(2)
            // Nothing begins left of the heading.
            expect(await leftOf('.editor')).toBe(await leftOf('h1'))
          }
          expect(await page.locator('#title').isVisible()).toBe(false)
          await openEditor(page)
          expect(await page.locator('#title').isVisible()).toBe(true)
          for (const [width, isBeside] of [
            [1680, true],
            [1100, true],
            [1099, false],
          ] as const) {
            await page.setViewportSize({ width, height: 800 })
            expect((await leftOf('.previews')) > (await leftOf('.editor'))).toBe(isBeside)
            expect(await leftOf('.editor')).toBe(await leftOf('h1'))
          }
          await page.getByText('HTML', { exact: true }).click()
          expect([await page.locator('#title').isVisible(), await page.locator('#tags').isVisible()]).toEqual([
            false,
            true,
          ])
        },
        hasScript,
      )
    },
  )

  test('without JavaScript, edited tags are submitted', async () => {
    await visit(
      'playground',
      async (page) => {
        await openEditor(page)
        await page.getByRole('button', { name: 'Update cards' }).click()
        await page.getByText('These cards show your edited tags.').waitFor()
        expect(new URL(page.url()).pathname).toBe('/playground-edited')
      },
      false,
    )
  })

  test('cards do not move to another column when one of them grows, while tags are edited', async () => {
    await visit('playground', async (page) => {
      await page.setViewportSize({ width: 1000, height: 800 })
      await openEditor(page)
      const columns = () =>
        page.locator('.previews > li').evaluateAll((items) => items.map((item) => item.getBoundingClientRect().left))
      const before = await columns()
      expect(new Set(before).size).toBeGreaterThan(1)
      await page.evaluate("document.querySelector('.previews .hint').textContent = 'long '.repeat(500)")
      expect(await columns()).toEqual(before)
    })
  })

  test.each(['playground', 'playground-long', 'playground-broken-image', 'playground-headless'])(
    '%s: the columns of cards have about the same height',
    async (name) => {
      await visit(name, async (page) => {
        for (const width of [900, 1280, 1680]) {
          await page.setViewportSize({ width, height: 800 })
          const boxes = await page.locator('.previews > li').evaluateAll((items) => {
            return items.map((item) => item.getBoundingClientRect())
          })
          const ends = new Map(boxes.map(({ left, bottom }) => [left, bottom]))
          expect(ends.size).toBe(2)
          const [first = 0, second = 0] = ends.values()
          expect(Math.abs(first - second)).toBeLessThan(Math.max(...boxes.map(({ height }) => height)))
        }
      })
    },
  )

  test.each([
    [1280, 720],
    [1680, 900],
    [1100, 500],
    [390, 700],
  ])('at %i × %i, no control of the editor is covered when it gets the focus', async (width, height) => {
    await visit('playground', async (page) => {
      await page.setViewportSize({ width, height })
      await openEditor(page)
      await page.locator('.editor > summary').focus()
      const focused: string[] = []
      for (;;) {
        await page.keyboard.press('Tab')
        const [name, isInside, isCovered] = await page.evaluate<[string, boolean, boolean]>(`(() => {
          const { activeElement: element } = document
          const bar = document.querySelector('.editor .actions')
          const isBelow = element.getBoundingClientRect().bottom > bar.getBoundingClientRect().top
          return [
            element.id || element.textContent.trim(),
            element.closest('.editor') !== null,
            !bar.contains(element) && isBelow,
          ]
        })()`)
        if (!isInside) break
        focused.push(isCovered ? `${name} is covered` : name)
      }
      expect(focused).toEqual(expect.arrayContaining(['title', 'card', 'Update cards']))
      expect(focused.filter((name) => name.endsWith('is covered'))).toEqual([])
    })
  })

  test.each([true, false])('each mark of an app leads to its card: script %p', async (hasScript) => {
    await visit(
      'playground',
      async (page) => {
        const links = page.getByRole('navigation', { name: 'Apps' }).getByRole('link')
        expect(await links.count()).toBe(14)
        for (const [name, verdict] of [
          ['Google', 'Search result'],
          ['Signal', 'None: only https'],
        ] as const) {
          const link = links.filter({ hasText: name })
          expect(await link.locator('span').innerText()).toBe(verdict)
          await link.press('Enter')
          const card = page.locator('.previews > li:target')
          expect(await card.locator('h3').innerText()).toBe(name)
          expect((await card.boundingBox())!.y).toBeWithin(0, 720)
        }
      },
      hasScript,
    )
  })

  test.each([true, false])('a title of 800 characters is cut in every app: script %p', async (hasScript) => {
    await visit(
      'playground-long',
      async (page) => {
        const marks = await page.locator('#app-marks a:not([data-state=none]) span').allInnerTexts()
        expect(marks.length).toBeGreaterThan(10)
        for (const mark of marks) expect(mark).toMatch(/^[^,]+, title cut$/)
        expect(await page.locator('#app-marks .icon').count()).toBe(0)
      },
      hasScript,
    )
  })

  test('a new image is loaded after a pause, once, and not while the user types', async () => {
    const page = await openPage()
    await page.clock.install({ time: 0 })
    const html = await (await fetch(`${server.url.href}playground-edited`)).text()
    const requests: string[] = []
    await page.route('**/tags', async (route) => {
      const images = new URLSearchParams(route.request().postData()!).get('images')
      requests.push(images === 'true' ? 'with images' : 'without')
      // The image is never loaded, as when the limit of images is reached.
      const body = html.replace('<ul class="previews">', `<p class="later" id="response-${requests.length}"></p>$&`)
      await route.fulfill({ contentType: 'text/html; charset=utf-8', body })
    })
    /** The response to the request that is sent after this time has been shown. */
    const shownAfter = async (ms: number) => {
      const next = page.locator(`#response-${requests.length + 1}`)
      await page.clock.runFor(ms)
      await next.waitFor({ state: 'attached' })
    }
    await page.goto(`${server.url.href}playground-edited`)
    // From here on, time only passes in `runFor`.
    await page.clock.pauseAt(PATIENT_TEST_MS)
    await page.locator('#image').fill('https://example.com/n')
    await page.clock.runFor(399)
    expect(requests).toEqual([])
    await shownAfter(1)
    await page.clock.runFor(1_199)
    expect(requests).toEqual(['without'])
    await page.locator('#image').fill('https://example.com/new.png')
    await page.clock.runFor(399)
    await shownAfter(1)
    await page.clock.runFor(1_199)
    expect(requests).toEqual(['without', 'without'])
    await shownAfter(1)
    await page.clock.runFor(60_000)
    expect(requests).toEqual(['without', 'without', 'with images'])
    expect(await page.locator('#image').inputValue()).toBe('https://example.com/new.png')
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('image')
    await page.context().close()
  })

  test.each([1280, 1680])('at %i px, the previews are accessible with the editor closed and open', async (width) => {
    await axePage.setViewportSize({ width, height: 720 })
    const html = await (await fetch(`${server.url.href}playground`)).text()
    await axePage.setContent(html.replaceAll(/<script[^>]*><\/script>/g, ''))
    expect(await violationsOf()).toEqual([])
    await openEditor(axePage)
    expect(await violationsOf()).toEqual([])
  })

  test('the tab Embed shows the card of the page without a request, and a link without scripts', async () => {
    await visit('playground-embed', async (page) => {
      const card = page.locator('url-card[data-state=loaded]')
      await card.waitFor()
      expect(await card.locator('[part~=title]').innerText()).toStartWith('Where to see the northern lights')
      expect(await card.locator('[part~=card]').getAttribute('href')).toBe('http://example.com/lights?utm_source=feed')
    })
    await visit(
      'playground-embed',
      async (page) => {
        const link = page.locator('url-card').getByRole('link')
        expect(await link.innerText()).toBe('http://example.com/lights?utm_source=feed')
      },
      false,
    )
  })

  test('the first Tab reaches the skip link', async () => {
    await visit('usage', async (page) => {
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      expect(await page.locator(':focus').getAttribute('id')).toBe('main')
    })
  })

  test('at 320 px and with twice the text size, no entry of the navigation is split', async () => {
    await visit('admin-users', async (page) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      const lines = await page.evaluate<number[]>(`
        Array.from(document.querySelectorAll('nav a'), (link) => {
          const range = document.createRange()
          range.selectNodeContents(link)
          return range.getClientRects().length
        })
      `)
      expect(lines.length).toBeGreaterThan(5)
      expect(lines.filter((count) => count !== 1)).toEqual([])
    })
  })

  test.each([1280, 800, 390])('at %i px, no word of the settings is split', async (width) => {
    await visit('admin-settings', async (page) => {
      await page.setViewportSize({ width, height: 640 })
      const split = await page.evaluate<string[]>(`
        Array.from(document.querySelectorAll('.settings tbody th code, .settings td:not(.text) span'))
          .filter((text) => text.firstChild && text.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(text).lineHeight))
          .map(({ textContent }) => textContent)
      `)
      expect(split).toEqual([])
    })
  })

  test.each([
    ['admin-user', 'Save limits', 1280, 800, 1],
    ['admin-user', 'Save limits', 390, 844, 2],
    ['admin-user-limits-error', 'Save limits', 390, 844, 2],
    ['admin-health', 'Back up now', 1280, 800, 1],
    ['admin-health', 'Back up now', 390, 844, 1],
    ['admin-health-quiet', 'Back up now', 390, 844, 2],
  ])('%s: the button %p at %i × %i px is on the first %i screens', async (name, label, width, height, screens) => {
    await visit(name, async (page) => {
      await page.setViewportSize({ width, height })
      const { y, height: own } = (await page.getByRole('button', { name: label }).boundingBox())!
      expect(y + own).toBeLessThanOrEqual(screens * height)
    })
  })

  test('a confirmation opens beside its button', async () => {
    await visit('admin-user', async (page) => {
      for (const label of ['Suspend', 'Disconnect']) {
        const confirm = page.locator('.panel .confirm', { hasText: label }).first()
        await confirm.locator('summary').click()
        const [button, text] = [
          await confirm.locator('summary').boundingBox(),
          await confirm.locator('.pop').boundingBox(),
        ]
        expect(text!.x).toBeCloseTo(button!.x, 0)
        await page.keyboard.press('Escape')
      }
    })
  })

  test('with forced colors, the legend of a chart has the colors of its columns', async () => {
    await visit('usage', async (page) => {
      await page.emulateMedia({ forcedColors: 'active' })
      const colors = await page.evaluate<string[][]>(`
        Array.from(document.querySelectorAll('.legend li'), ({ className }) => [
          getComputedStyle(document.querySelector('.legend .' + className), '::before').backgroundColor,
          getComputedStyle(document.querySelector('.plot path.' + className)).fill,
        ])
      `)
      expect(colors).toHaveLength(3)
      for (const [inLegend, inChart] of colors) expect(inLegend).toBe(inChart!)
    })
  })

  test.each(['admin-users', 'usage', 'playground'])(
    '%s: the current entry of each navigation and editor differs from the others with forced colors',
    async (name) => {
      await visit(name, async (page) => {
        await page.emulateMedia({ forcedColors: 'active' })
        const colors = await page.evaluate<
          [boolean, string][]
        >(`[...document.querySelectorAll('.bar nav a, .tabs a, .langs > label')].map(
          (link) => [link.matches('[aria-current], :checked + *'), getComputedStyle(link).backgroundColor + getComputedStyle(link).color])`)
        const current = new Set(colors.filter(([isCurrent]) => isCurrent).map(([, color]) => color))
        const others = new Set(colors.filter(([isCurrent]) => !isCurrent).map(([, color]) => color))
        expect(current.size).toBe(1)
        expect(current.isDisjointFrom(others)).toBe(true)
      })
    },
  )

  test('the entries of the navigation have the same places on all pages', async () => {
    const places: unknown[] = []
    for (const name of ['keys', 'usage', 'admin-users', 'admin-settings']) {
      await visit(name, async (page) => {
        places.push(
          await page.evaluate(
            `[...document.querySelectorAll('.bar nav a')].slice(0, 5).map((link) => link.offsetLeft)`,
          ),
        )
      })
    }
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(1)
  })

  test('an image that cannot be loaded looks like a missing one', async () => {
    await using context = await browser.newContext()
    const page = await context.newPage()
    await page.route('**/playground/image?*', (route) => route.fulfill({ status: 404 }))
    await page.goto(`${server.url.href}playground-broken-image`)
    const picture = page.locator('.imessage .pic')
    await picture.scrollIntoViewIfNeeded()
    // Loaded again, because the event of the first attempt may be over.
    await page.evaluate(`new Promise((resolve) => {
      const image = document.querySelector('.imessage img.pic')
      image.onerror = resolve
      image.src = image.src
    })`)
    const { x, y, width, height } = (await picture.boundingBox())!
    // Without the rounded corners, where both are blended with the card.
    const clip = { x: x + 4, y: y + 4, width: width - 8, height: height - 8 }
    const broken = await page.screenshot({ clip })
    await page.evaluate(`
      const image = document.querySelector('.imessage img.pic')
      const missing = document.createElement('span')
      missing.className = image.className
      image.replaceWith(missing)
    `)
    expect(broken.equals(await page.screenshot({ clip }))).toBe(true)
  })

  test('without JavaScript, deactivation asks for confirmation and languages can be switched', async () => {
    await visit(
      'keys',
      async (page) => {
        await page.locator('.confirm summary').first().click()
        await page.getByRole('button', { name: 'Deactivate permanently' }).waitFor()
      },
      false,
    )
    await visit(
      'docs',
      async (page) => {
        await page.locator('label', { hasText: 'Python' }).click()
        await page.getByText('import os, requests').waitFor()
        expect(await page.getByText('curl -H').isVisible()).toBe(false)
      },
      false,
    )
  })

  test('a form is submitted once', async () => {
    await visit('playground-start', async (page) => {
      await page.evaluate(`
        sent = []
        document.addEventListener('submit', (event) => {
          if (!event.defaultPrevented) sent.push(new FormData(event.target).get('url'))
          event.preventDefault()
        })
      `)
      // The browser gives it the focus when it has rendered the page.
      await page.locator('input[name=url]:focus').waitFor()
      await page.keyboard.type('example.com/a')
      await page.getByRole('button', { name: 'Fetch', exact: true }).click()
      await page.getByLabel('URL').press('Enter')
      expect(await page.getByRole('button', { name: 'Fetching…' }).getAttribute('aria-disabled')).toBe('true')
      expect(await page.evaluate<string[]>('sent')).toEqual(['example.com/a'])
    })
  })
})
