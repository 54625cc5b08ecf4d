/** The size of a reusable buffer, in bytes. Most pages fit. */
const BUFFER_BYTES = 524_288

/** The maximum number of spare buffers of a thread: 4 MB. */
const MAX_SPARE_BUFFERS = 8

/** Buffers of earlier bodies in this thread. Reusing them avoids the page faults of new memory. */
const ofThisThread: ArrayBuffer[] = []

/** Collects the chunks of a body in contiguous memory, up to `maxBytes`. */
export class BodyBuffer implements Disposable {
  #memory: Uint8Array = new Uint8Array()
  /** Whether `#memory` is the only chunk so far, with or without its memory, or a buffer of this object. */
  #kind: 'chunk' | 'given chunk' | 'buffer' = 'chunk'
  #size = 0

  constructor(
    private readonly maxBytes: number,
    private readonly spare = ofThisThread,
  ) {}

  /** A view of the bytes so far, valid until the next `append`. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#size)
  }

  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size === this.maxBytes
  }

  /**
   * Adds as much of the chunk as fits.
   * @param isGiven whether nothing else uses the memory of the chunk, so that it can be freed with this body
   */
  append(chunk: Uint8Array, isGiven = false): void {
    const room = this.maxBytes - this.#size
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
    const size = this.#size + kept.length
    if (this.#size === 0) {
      this.#memory = kept
      this.#kind = isGiven ? 'given chunk' : 'chunk'
    } else {
      this.#grow(size)
      this.#memory.set(kept, this.#size)
      if (isGiven) free(chunk)
    }
    this.#size = size
  }

  /** Empties the body. Later bodies may reuse its buffer. */
  [Symbol.dispose](): void {
    this.#release()
    this.#memory = new Uint8Array()
    this.#kind = 'chunk'
    this.#size = 0
  }

  #grow(size: number): void {
    if (this.#kind === 'buffer' && size <= this.#memory.length) return
    const memory = this.#allocate(size)
    memory.set(this.bytes)
    this.#release()
    this.#memory = memory
    this.#kind = 'buffer'
  }

  /** Returns an uncleared buffer of at least `size` bytes. */
  #allocate(size: number): Uint8Array {
    let length = BUFFER_BYTES
    // The Content-Length is not used, because it can be wrong.
    while (length < size) length *= 2
    const reused = length === BUFFER_BYTES ? this.spare.pop() : undefined
    return new Uint8Array(reused ?? Buffer.allocUnsafeSlow(length).buffer)
  }

  #release(): void {
    if (this.#kind === 'given chunk') free(this.#memory)
    if (this.#kind !== 'buffer') return
    // `transfer` detaches all views of the buffer, so that none of them can read a later body.
    const memory = (this.#memory.buffer as ArrayBuffer).transfer()
    if (memory.byteLength === BUFFER_BYTES && this.spare.length < MAX_SPARE_BUFFERS) this.spare.push(memory)
  }
}

/**
 * Frees the memory of a chunk now. Otherwise the garbage collector frees that of many pages at once, and each new chunk
 * gets memory of the system, whose page faults cost more than reading the page. Smaller memory may be a part of a pool.
 */
function free({ buffer }: Uint8Array): void {
  if (buffer.byteLength > Buffer.poolSize) (buffer as ArrayBuffer).transfer(0)
}
