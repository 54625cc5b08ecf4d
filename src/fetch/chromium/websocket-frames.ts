export interface FrameHandlers {
  onText: (part: Buffer) => void
  onMessageEnd: () => void
  /** The client must respond with a pong that has the same bytes. */
  onPing: (payload: Buffer) => void
  /** The server closed the connection or violated the protocol. No other callback follows. */
  onClose: () => void
}

const CONTINUATION = 0
const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10
const OPCODES: readonly number[] = [CONTINUATION, TEXT, CLOSE, PING, PONG]

/** RFC 6455 section 5.5. */
const MAX_CONTROL_BYTES = 125

interface Frame {
  opcode: number
  isLast: boolean
  remainingBytes: number
}

/**
 * Reads the frames of a WebSocket server (RFC 6455 section 5). A library would buffer whole messages, or close the
 * connection on a message that is too long, although other users' pages share it.
 */
export function createFrameReader(handlers: FrameHandlers): (chunk: Buffer) => void {
  const { onText, onMessageEnd, onPing, onClose } = handlers
  /** The beginning of a header, less than ten bytes. */
  let pending: Buffer = Buffer.alloc(0)
  let frame: Frame | null = null
  let control: Buffer[] = []
  /** Whether the next data frame continues a message. */
  let isContinued = false
  let isClosed = false

  const close = () => {
    isClosed = true
    onClose()
  }

  function endFrame({ opcode, isLast }: Frame): void {
    if (opcode < CLOSE) {
      isContinued = !isLast
      if (isLast) onMessageEnd()
      return
    }
    const payload = Buffer.concat(control)
    control = []
    if (opcode === PING) onPing(payload)
    else if (opcode === CLOSE) close()
  }

  return (chunk) => {
    if (isClosed) return
    let rest = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    pending = Buffer.alloc(0)
    for (;;) {
      if (frame === null) {
        const header = parseHeader(rest)
        if (header === 'invalid') return close()
        if (header === 'incomplete') return void (pending = rest)
        // RFC 6455 section 5.4: frames of two messages are not interleaved.
        const { opcode } = header.frame
        if (opcode < CLOSE && (opcode === CONTINUATION) !== isContinued) return close()
        rest = rest.subarray(header.bytes)
        frame = header.frame
      }
      const part = rest.subarray(0, frame.remainingBytes)
      rest = rest.subarray(part.length)
      frame.remainingBytes -= part.length
      if (frame.opcode < CLOSE) onText(part)
      else control.push(part)
      if (frame.remainingBytes > 0) return
      const ended = frame
      frame = null
      endFrame(ended)
      if (isClosed) return
    }
  }
}

/** RFC 6455 section 5.2. Servers do not mask, and DevTools sends text without extensions. */
function parseHeader(bytes: Buffer): { frame: Frame; bytes: number } | 'incomplete' | 'invalid' {
  if (bytes.length < 2) return 'incomplete'
  const [first, second] = [bytes[0]!, bytes[1]!]
  const opcode = first & 0x0f
  const isLast = (first & 0x80) !== 0
  const isControl = opcode >= CLOSE
  const hasExtension = (first & 0x70) !== 0
  const isMasked = (second & 0x80) !== 0
  if (hasExtension || isMasked || !OPCODES.includes(opcode)) return 'invalid'
  if (isControl && (!isLast || second > MAX_CONTROL_BYTES)) return 'invalid'
  const headerBytes = second === 127 ? 10 : second === 126 ? 4 : 2
  if (bytes.length < headerBytes) return 'incomplete'
  const remainingBytes =
    second === 127 ? Number(bytes.readBigUInt64BE(2)) : second === 126 ? bytes.readUInt16BE(2) : second
  return { frame: { opcode, isLast, remainingBytes }, bytes: headerBytes }
}

/** A frame to the server, masked as RFC 6455 section 5.3 requires; `mask` has four random bytes. */
function frameOf(opcode: number, payload: Buffer, mask: Uint8Array): Buffer {
  const { length } = payload
  const header = Buffer.alloc(length > 0xffff ? 10 : length > MAX_CONTROL_BYTES ? 4 : 2)
  header[0] = 0x80 | opcode
  header[1] = 0x80 | (length > 0xffff ? 127 : length > MAX_CONTROL_BYTES ? 126 : length)
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  else if (header.length === 4) header.writeUInt16BE(length, 2)
  const masked = Buffer.from(payload)
  for (let i = 0; i < length; i++) masked[i]! ^= mask[i % 4]!
  return Buffer.concat([header, mask, masked])
}

export const textFrame = (text: string, mask: Uint8Array) => frameOf(TEXT, Buffer.from(text), mask)
export const pongFrame = (payload: Buffer, mask: Uint8Array) => frameOf(PONG, payload, mask)
export const closeFrame = (mask: Uint8Array) => frameOf(CLOSE, Buffer.alloc(0), mask)
