import type { Documentation } from '../../documents.ts'
import { packedDocumentation } from '../../documents.ts' with { type: 'macro' }

/** The pages of docs/, built when this file is bundled or transpiled. Decompressing them takes 10 ms. */
const json = Bun.zstdDecompressSync(Buffer.from(await packedDocumentation(), 'base64')).toString()
export const DOCUMENTATION = JSON.parse(json) as Documentation
