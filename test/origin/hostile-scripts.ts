/** A page whose scripts try to wear the browser out. */
export interface HostilePage {
  name: string
  path: string
  answer: () => Response
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

const SCRIPTS: Readonly<Record<string, string>> = {
  'scripts that never yield': 'while (true) {}',
  'scripts that never yield after a while': 'setTimeout(() => { while (true) {} }, 300)',
  'promises that never yield': 'const spin = () => Promise.resolve().then(spin); spin()',
  'alerts without end': 'while (true) alert(1)',
  'questions without end': 'for (;;) { confirm(1); prompt(2); print() }',
  'redirects by script without end': 'location = "/redirects-by-script-without-end?" + Math.random()',
  'ten thousand requests': 'for (let i = 0; i < 10_000; i++) fetch("/sub" + i)',
  'history without end': 'for (let i = 0; ; i++) history.pushState({}, "", "/h" + i)',
  'history by timer':
    'setInterval(() => { for (let i = 0; i < 100; i++) history.pushState({}, "", "/h" + Math.random()) })',
  'console output without end': 'for (;;) console.log("x".repeat(100_000))',
  'one line of console output, twenty megabytes long': 'console.log("x".repeat(20_000_000))',
  'twenty megabytes to post': 'fetch("/post", { method: "POST", body: "x".repeat(20_000_000) })',
  'errors without end':
    'setInterval(() => { for (let i = 0; i < 100; i++) Promise.reject(new Error("x".repeat(100_000))) })',
  'memory without end': 'const held = []; for (;;) held.push(new Array(1_000_000).fill(held.length))',
  'elements without end': 'for (;;) document.body.append(document.createElement("p"))',
  'a title without end': 'document.title = "x".repeat(300_000_000)',
  'titles without end': 'setInterval(() => { document.title = Math.random() })',
  'frames in frames': 'document.body.append(Object.assign(document.createElement("iframe"), { src: location }))',
  'windows without end': 'setInterval(() => open("/popup"))',
  'workers without end': 'setInterval(() => new Worker("data:text/javascript,while(true);"))',
  'a question before leaving': 'onbeforeunload = (event) => event.preventDefault(); location = "/good"',
  'a stopped parser': 'document.open(); document.write("<p>")',
  'replaced built-ins': 'JSON.stringify = Promise = MutationObserver = setTimeout = Array.prototype.map = null',
}

const ANSWERS: Readonly<Record<string, () => Response>> = {
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
  // Twenty seconds at least: longer than any deadline, yet not for ever in the process that serves it.
  'a body that does not end in time': () => {
    let left = 4_000
    const pull = async (controller: ReadableStreamDefaultController) => {
      await Bun.sleep(5)
      if (left-- > 0) controller.enqueue(Buffer.from('<p>text '.repeat(100)))
      else controller.close()
    }
    return new Response(new ReadableStream({ pull }), { headers: HTML })
  },
  'an answer that never comes': () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
  'redirects without end': () => Response.redirect(`/redirects-without-end?${Math.random()}`, 302),
  'a refresh without end': () => new Response('<meta http-equiv=refresh content=0>', { headers: HTML }),
}

const pathOf = (name: string) => `/${name.replaceAll(' ', '-')}`

export const HOSTILE_PAGES: readonly HostilePage[] = [
  ...Object.entries(SCRIPTS).map(([name, script]) => ({
    name,
    path: pathOf(name),
    answer: () => new Response(`<!doctype html><title>x</title><body><script>${script}</script>`, { headers: HTML }),
  })),
  ...Object.entries(ANSWERS).map(([name, answer]) => ({ name, path: pathOf(name), answer })),
]
