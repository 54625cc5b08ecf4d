/** The size of a pooled buffer. Most pages fit. */
const BUFFER_BYTES = 262_144

/** The maximum number of unused buffers, 4 MB in total: about the usual number of concurrent fetches. */
const MAX_POOLED_BUFFERS = 16

/** A pool of buffers for bodies: allocating takes longer than copying, and unused ones are not freed immediately. */
export class BufferPool {
  readonly #free: Uint8Array[] = []

  acquire(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** Returns a buffer to the pool. Larger buffers are not kept. */
  release(buffer: Uint8Array): void {
    if (buffer.length === BUFFER_BYTES && this.#free.length < MAX_POOLED_BUFFERS) this.#free.push(buffer)
  }
}

/** Collects the chunks of a body in contiguous memory, up to `maxBytes`. */
export class BodyBuffer {
  /** The first chunk while it is the only one, then a pooled buffer, or a larger one if that is too small. */
  #memory: Uint8Array = new Uint8Array()
  #isOnlyChunk = true
  #size = 0

  constructor(
    private readonly maxBytes: number,
    private readonly pool: BufferPool,
  ) {}

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#size)
  }

  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size === this.maxBytes
  }

  /** Adds as much of the chunk as fits. */
  append(chunk: Uint8Array): void {
    const room = this.maxBytes - this.#size
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
    if (this.#size === 0) {
      this.#memory = kept
    } else {
      this.#grow(this.#size + kept.length)
      this.#memory.set(kept, this.#size)
    }
    this.#size += kept.length
  }

  /** Hands the first `length` bytes over to the caller. The buffer must not be used afterwards. */
  detach(length: number): Uint8Array {
    // Copying most of the memory would save little.
    if (this.#isOnlyChunk || length > this.#memory.length / 2) return this.#memory.subarray(0, length)
    // `slice` of a Buffer does not copy.
    const bytes = new Uint8Array(this.#memory.subarray(0, length))
    this.release()
    return bytes
  }

  /** Discards the bytes and returns the memory to the pool. */
  release(): void {
    if (!this.#isOnlyChunk) this.pool.release(this.#memory)
    this.#memory = new Uint8Array()
    this.#size = 0
    this.#isOnlyChunk = true
  }

  /** Allocates twice the bytes received, because a Content-Length cannot be trusted. */
  #grow(size: number): void {
    if (!this.#isOnlyChunk && size <= this.#memory.length) return
    const current = this.#isOnlyChunk ? this.pool.acquire() : this.#memory
    const isEnough = size <= current.length
    const memory = isEnough ? current : Buffer.allocUnsafeSlow(Math.min(this.maxBytes, 2 * size))
    memory.set(this.bytes)
    if (!isEnough) this.pool.release(current)
    this.#memory = memory
    this.#isOnlyChunk = false
  }
}
