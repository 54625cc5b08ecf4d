/** The minimum size of a buffer for several chunks. Most pages fit. Pooling such buffers saved neither CPU time nor memory. */
const BUFFER_BYTES = 262_144

/** Collects the chunks of a body in contiguous memory, up to `maxBytes`. */
export class BodyBuffer {
  /** The first chunk while it is the only one, then a buffer that grows. */
  #memory: Uint8Array = new Uint8Array()
  #isOnlyChunk = true
  #size = 0

  constructor(private readonly maxBytes: number) {}

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

  /** The first `length` bytes, copied if most of the buffer is not needed. */
  detach(length: number): Uint8Array {
    const bytes = this.#memory.subarray(0, length)
    // `slice` of a Buffer does not copy.
    return this.#isOnlyChunk || length > this.#memory.length / 2 ? bytes : new Uint8Array(bytes)
  }

  /** Allocates twice the bytes received, because a Content-Length cannot be trusted. */
  #grow(size: number): void {
    if (!this.#isOnlyChunk && size <= this.#memory.length) return
    const memory = Buffer.allocUnsafeSlow(Math.min(this.maxBytes, Math.max(BUFFER_BYTES, 2 * size)))
    memory.set(this.bytes)
    this.#memory = memory
    this.#isOnlyChunk = false
  }
}
