/** A page that tries to exhaust or block the browser. */
export interface HostilePage {
  name: string
  path: string
  respond: () => Response
  /** Whether only the engine and DevTools are involved, which are the same in every kind of Chromium. */
  isEngineOnly: boolean
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

const SCRIPTS: Readonly<Record<string, string>> = {
  'scripts that never yield': 'while (true) {}',
  'scripts that never yield after a while': 'setTimeout(() => { while (true) {} }, 300)',
  'promises that never yield': 'const spin = () => Promise.resolve().then(spin); spin()',
  'endless alerts': 'while (true) alert(1)',
  'endless dialogs': 'for (;;) { confirm(1); prompt(2); print() }',
  'endless redirects by script': 'location = "/endless-redirects-by-script?" + Math.random()',
  'ten thousand requests': 'for (let i = 0; i < 10_000; i++) fetch("/sub" + i)',
  'endless history entries': 'for (let i = 0; ; i++) history.pushState({}, "", "/h" + i)',
  'history entries by timer':
    'setInterval(() => { for (let i = 0; i < 100; i++) history.pushState({}, "", "/h" + Math.random()) })',
  'endless console output': 'for (;;) console.log("x".repeat(100_000))',
  'console output of twenty megabytes': 'console.log("x".repeat(20_000_000))',
  'an upload of twenty megabytes': 'fetch("/post", { method: "POST", body: "x".repeat(20_000_000) })',
  'endless errors':
    'setInterval(() => { for (let i = 0; i < 100; i++) Promise.reject(new Error("x".repeat(100_000))) })',
  'endless memory allocation': 'const held = []; for (;;) held.push(new Array(1_000_000).fill(held.length))',
  'endless elements': 'for (;;) document.body.append(document.createElement("p"))',
  'a huge title': 'document.title = "x".repeat(300_000_000)',
  'endless title changes': 'setInterval(() => { document.title = Math.random() })',
  'frames in frames': 'document.body.append(Object.assign(document.createElement("iframe"), { src: location }))',
  'endless documents in a frame':
    'const { contentDocument: d } = document.body.appendChild(document.createElement("iframe")); for (;;) d.open(), d.close()',
  'endless windows': 'setInterval(() => open("/popup"))',
  'endless workers': 'setInterval(() => new Worker("data:text/javascript,while(true);"))',
  'a dialog before unloading': 'onbeforeunload = (event) => event.preventDefault(); location = "/good"',
  'a document that is never closed': 'document.open(); document.write("<p>")',
  'replaced built-ins': 'JSON.stringify = Promise = MutationObserver = setTimeout = Array.prototype.map = null',
}

const RESPONSES: Readonly<Record<string, () => Response>> = {
  'a body of one gigabyte': () => {
    let left = 1024
    const megabyte = new Uint8Array(1024 * 1024).fill(65)
    const body = new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(megabyte)
        else controller.close()
      },
    })
    return new Response(body, { headers: HTML })
  },
  // At least twenty seconds: longer than any deadline, but not endless for the process that serves it.
  'a body that takes twenty seconds': () => {
    let left = 4_000
    const pull = async (controller: ReadableStreamDefaultController) => {
      await Bun.sleep(5)
      if (left-- > 0) controller.enqueue(Buffer.from('<p>text '.repeat(100)))
      else controller.close()
    }
    return new Response(new ReadableStream({ pull }), { headers: HTML })
  },
  'a body that never arrives': () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
  'endless redirects': () => Response.redirect(`/endless-redirects?${Math.random()}`, 302),
  'an endless refresh': () => new Response('<meta http-equiv=refresh content=0>', { headers: HTML }),
}

/**
 * The other pages involve what differs between kinds of Chromium: windows, dialogs, titles, the session history, closing a
 * page that hangs or has crashed.
 */
const ENGINE_ONLY: readonly string[] = [
  'scripts that never yield after a while',
  'promises that never yield',
  'ten thousand requests',
  'endless console output',
  'console output of twenty megabytes',
  'an upload of twenty megabytes',
  'endless errors',
  'endless elements',
  'endless documents in a frame',
  'a document that is never closed',
  'replaced built-ins',
  'a body of one gigabyte',
  'a body that takes twenty seconds',
  'a body that never arrives',
]

const pathOf = (name: string) => `/${name.replaceAll(' ', '-')}`

const hostilePage = (name: string, respond: () => Response): HostilePage => ({
  name,
  path: pathOf(name),
  respond,
  isEngineOnly: ENGINE_ONLY.includes(name),
})

export const HOSTILE_PAGES: readonly HostilePage[] = [
  ...Object.entries(SCRIPTS).map(([name, script]) =>
    hostilePage(
      name,
      () => new Response(`<!doctype html><title>x</title><body><script>${script}</script>`, { headers: HTML }),
    ),
  ),
  ...Object.entries(RESPONSES).map(([name, respond]) => hostilePage(name, respond)),
]
