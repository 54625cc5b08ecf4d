/** Most pages fit, and as many as are usually read at the same time: 4 MB in all. */
const BUFFER_BYTES = 262_144
const MAX_POOLED_BUFFERS = 16

/**
 * Memory that bodies are gathered in, used again for the next ones: touching new memory for each page costs more than
 * copying it there, and what is dropped stays resident until the garbage is collected.
 */
export class BufferPool {
  readonly #free: Uint8Array[] = []

  take(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  release(scratch: Uint8Array): void {
    if (scratch.length === BUFFER_BYTES && this.#free.length < MAX_POOLED_BUFFERS) this.#free.push(scratch)
  }
}

/** A body that comes in chunks, in one piece at any time; no more than `maxBytes` of it. */
export class BodyBuffer {
  readonly #maxBytes: number
  readonly #pool: BufferPool
  /** The first chunk itself, as long as it is the only one; then scratch memory, or more if that does not do. */
  #memory: Uint8Array = new Uint8Array()
  #isOnlyChunk = true
  #size = 0

  constructor(maxBytes: number, pool: BufferPool) {
    this.#maxBytes = maxBytes
    this.#pool = pool
  }

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#size)
  }

  get isFull(): boolean {
    return this.#size === this.#maxBytes
  }

  /** Adds as much of the chunk as fits; all bytes so far. */
  append(chunk: Uint8Array): Uint8Array {
    const kept = chunk.subarray(0, this.#maxBytes - this.#size)
    if (this.#size === 0) {
      this.#memory = kept
    } else {
      this.#makeRoom(this.#size + kept.length)
      this.#memory.set(kept, this.#size)
    }
    this.#size += kept.length
    return this.bytes
  }

  /** The first bytes, for the caller to keep; the buffer is of no use afterwards. */
  detach(length: number): Uint8Array {
    if (this.#isOnlyChunk) return this.#memory.subarray(0, length)
    // A copy of most of it would only take new memory for the old.
    if (length > this.#memory.length / 2) return this.#memory.subarray(0, length)
    // Not `slice`, which copies nothing of a Buffer.
    const bytes = new Uint8Array(this.#memory.subarray(0, length))
    this.release()
    return bytes
  }

  /** Gives the memory back without keeping anything of it. */
  release(): void {
    if (!this.#isOnlyChunk) this.#pool.release(this.#memory)
    this.#memory = new Uint8Array()
    this.#size = 0
    this.#isOnlyChunk = true
  }

  /** What is announced is not trusted: memory is taken for what has come, and as much again. */
  #makeRoom(size: number): void {
    if (!this.#isOnlyChunk && size <= this.#memory.length) return
    const scratch = this.#isOnlyChunk ? this.#pool.take() : this.#memory
    const isEnough = size <= scratch.length
    const memory = isEnough ? scratch : Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, 2 * size))
    memory.set(this.bytes)
    if (!isEnough) this.#pool.release(scratch)
    this.#memory = memory
    this.#isOnlyChunk = false
  }
}
