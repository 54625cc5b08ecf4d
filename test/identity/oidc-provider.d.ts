/** What the tests use of oidc-provider, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    Grant: new (grant: { clientId: string; accountId: string }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
  }
}
