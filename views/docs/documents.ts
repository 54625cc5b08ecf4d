import { readDocumentation } from '../../documents.ts' with { type: 'macro' }

/** The pages of docs/, built when this file is bundled or transpiled. */
export const DOCUMENTATION = await readDocumentation()
