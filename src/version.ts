import { version } from '../package.json'

/** Baked in by build.ts; `typeof` is the one way to ask for a name that is not declared when run from source. */
declare const URLMETA_COMMIT: string

/** The release, from package.json; the build puts it into the executable. */
export const VERSION = version

/** The short hash of the commit the executable was built from; `dev` when run from source. */
export const COMMIT = typeof URLMETA_COMMIT === 'undefined' ? 'dev' : URLMETA_COMMIT
