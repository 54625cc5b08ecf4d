/**
 * The actions that end access, each with the page that has its form. The limit of pages neither counts nor refuses them:
 * whoever has a copy of a session could use up the limit, and so keep the user from ending that session.
 */
export const ACCESS_ENDING: readonly (readonly [action: string, page: string])[] = [
  ['/sign-out', '/account'],
  ['/account/delete', '/account'],
  ['/account/identities/remove', '/account'],
  ['/account/sessions/revoke-others', '/account'],
  ['/account/sessions/:id/revoke', '/account'],
  ['/account/alerts/remove', '/account'],
  ['/keys/:id/rotate', '/keys/:id'],
  ['/keys/:id/deactivate', '/keys'],
  ['/playground/shared/:id/stop', '/playground'],
  ['/admin/invite/revoke', '/admin/invite'],
  ['/admin/users/:id/suspend', '/admin/users/:id'],
  ['/admin/users/:id/disconnect', '/admin/users/:id'],
  ['/admin/users/:id/keys/:keyId/deactivate', '/admin/users/:id'],
]

const ROUTES = new Set(ACCESS_ENDING.flatMap(([action, page]) => [`POST ${action}`, `GET ${page}`, `HEAD ${page}`]))

/** @param route the route pattern */
export const isAccessEnding = (method: string, route: string): boolean => ROUTES.has(`${method} ${route}`)
