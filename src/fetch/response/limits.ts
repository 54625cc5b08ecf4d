/*
 * Limits of fetched responses. src/core/limits.ts limits requests to this service, ../chromium/limits.ts rendered
 * pages.
 */

/** The maximum size of a page after decompression; the rest is not read. Metadata is in the first two megabytes. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024

/** The maximum size of a compressed body. Only malicious bodies, such as endless empty gzip members, reach it. */
export const MAX_ENCODED_BYTES = 2 * MAX_PAGE_BYTES

/**
 * Bodies are decompressed in parts of this many bytes. Each part is a task for another thread: parts of 16 KB, Node's
 * default, took 40 % more CPU time. With larger parts, more is decompressed than is needed of a page.
 */
export const DECODED_CHUNK_BYTES = 65_536

/** Slow connections deliver packets of about 500 bytes, and bodies are rarely longer than half of their limit. */
const MIN_MEAN_CHUNK_BYTES = 512

/**
 * The maximum number of chunks of a body of at most `maxBytes` on the wire. 2 MB in chunks of one byte would block for
 * seconds and take a gigabyte.
 */
export const maxChunksOf = (maxBytes: number): number => maxBytes / MIN_MEAN_CHUNK_BYTES

/** The maximum size of a response's head. Real responses have up to about 20 KB; Node's default limit is 16 KB. */
export const MAX_HEAD_BYTES = 65_536
