import pages from './access-ending.json'

/**
 * The actions that end access, each with the page that has its form. The limit of pages neither counts nor refuses them:
 * whoever has a copy of a session could use up the limit, and so keep the user from ending that session.
 */
export const ACCESS_ENDING = Object.entries(pages)

const ROUTES = new Set(ACCESS_ENDING.flatMap(([action, page]) => [`POST ${action}`, `GET ${page}`, `HEAD ${page}`]))

/** @param route the route pattern */
export const isAccessEnding = (method: string, route: string): boolean => ROUTES.has(`${method} ${route}`)
