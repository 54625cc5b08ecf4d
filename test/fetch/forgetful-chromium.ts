// A Chromium that loses the first request for the content of a document, as when the document is replaced meanwhile, or
// that does not respond any more from a given request on.
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'

const REQUESTS_FD = 3
const RESPONSES_FD = 4

const [loses = '', executable = '', ...args] = process.argv.slice(2)
const stdio = ['inherit', 'inherit', 'inherit', 'pipe', 'pipe'] as const
const chromium = spawn(executable, args, { stdio: [...stdio] })
chromium.on('exit', (code) => process.exit(code ?? 1))
const requests = chromium.stdio[REQUESTS_FD] as Writable
const responses = createWriteStream('', { fd: RESPONSES_FD })
;(chromium.stdio[RESPONSES_FD] as Readable).pipe(responses)

let isLost = false
let pending = ''
for await (const chunk of createReadStream('', { fd: REQUESTS_FD, encoding: 'utf8' })) {
  const messages = (pending + String(chunk)).split('\0')
  pending = messages.pop() ?? ''
  for (const message of messages) {
    const { id, sessionId, method } = JSON.parse(message) as { id: number; sessionId?: string; method: string }
    if (method === loses) isLost = true
    if (isLost && loses !== 'document') continue
    const isFirst = !isLost && method === 'Runtime.evaluate' && message.includes('outerHTML')
    if (!isFirst) requests.write(`${message}\0`)
    else {
      isLost = true
      const error = { code: -32000, message: 'Cannot find context with specified id' }
      responses.write(`${JSON.stringify({ id, sessionId, error })}\0`)
    }
  }
}
requests.end()
