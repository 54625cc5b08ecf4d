import { EVENT_START, faultOf, isTooLong, messageOf, type DevToolsTransport } from './devtools-transport.ts'
import { createMessageFilter, interruptionOf } from './message-filter.ts'

/**
 * The DevTools protocol over a WebSocket, with the limits of the pipe. A message is in memory as a whole before it can
 * be dropped, because the WebSocket reads it.
 * @throws Error when the connection is not open before `deadline` aborts
 */
export async function connectWebSocketTransport(url: string, deadline: AbortSignal): Promise<DevToolsTransport> {
  deadline.throwIfAborted()
  const socket = new WebSocket(url)
  const opened = Promise.withResolvers<void>()
  const giveUp = () => opened.reject(new Error('it does not answer'))
  deadline.addEventListener('abort', giveUp, { once: true })
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('error', () => opened.reject(new Error('the connection failed or was refused')))
  socket.addEventListener('close', () => opened.reject(new Error('the connection was closed')))
  try {
    await opened.promise
  } catch (error) {
    socket.close()
    throw error
  } finally {
    deadline.removeEventListener('abort', giveUp)
  }
  return transportOf(socket)
}

function transportOf(socket: WebSocket): DevToolsTransport {
  let isOpen = true
  let fault: string | null = null
  const transport: DevToolsTransport = {
    isOpen: () => isOpen,
    fault: () => fault,
    send: (message) => void socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  }
  const filter = createMessageFilter((session) => transport.send(interruptionOf(session)))

  const close = () => {
    if (!isOpen) return
    isOpen = false
    transport.onclose?.()
  }
  const pass = async (message: Buffer) => {
    try {
      // Playwright's own is asynchronous, whatever its type says: its objections would end this process.
      await transport.onmessage?.(messageOf(message))
    } catch {
      // Such a browser is not asked for anything else.
      fault ??= faultOf(message)
      socket.close()
      close()
    }
  }
  socket.addEventListener('message', ({ data }) => {
    if (!isOpen) return
    const message = Buffer.from(data as string)
    const isEvent = () => message.subarray(0, EVENT_START.length).equals(EVENT_START)
    if (!isTooLong(message.length, isEvent) && filter.accepts(message)) void pass(message)
  })
  socket.addEventListener('close', close)
  socket.addEventListener('error', close)
  return transport
}
