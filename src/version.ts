import { homepage, version } from '../package.json'

/** Defined by build.ts. Undefined when run from source, so it is checked with `typeof`. */
declare const URLMETA_COMMIT: string
declare const URLMETA_LICENSES: string

/** The release version, from package.json. */
export const VERSION = version

/** The project's page, from package.json, for site owners who find urlmeta in their logs. */
export const PROJECT_URL = homepage

/** The short hash of the commit the executable was built from; `dev` when run from source. */
export const COMMIT = typeof URLMETA_COMMIT === 'undefined' ? 'dev' : URLMETA_COMMIT

/** The license of urlmeta and of everything in the executable, in full; null when run from source. */
export const LICENSES = typeof URLMETA_LICENSES === 'undefined' ? null : URLMETA_LICENSES
