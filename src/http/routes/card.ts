import { Elysia } from 'elysia'

import { ASSETS } from '../../../views/assets.ts'
import { CardPage } from '../../../views/card.tsx'
import { METADATA_EXAMPLE } from '../api/schema.ts'
import { json } from '../server/json.ts'
import type { RouteContext } from './route-context.ts'

/** The response for the card on the page; its images are on this server, like everything that a page loads. */
const EXAMPLE = { ...METADATA_EXAMPLE, image: ASSETS['/social-image.png'].href, favicon: ASSETS['/favicon.svg'].href }
const EXAMPLE_PATH = '/card/example'

/** `/card`: the link card, and how to use it on a page. */
export const cardRoutes = ({ auth }: RouteContext) =>
  new Elysia()
    .use(auth.optionalUser)
    .get('/card', ({ context }) =>
      context.render({ path: '/card' }, CardPage, { exampleEndpoint: `${EXAMPLE_PATH}?url=` }),
    )
    .get(EXAMPLE_PATH, () => json(EXAMPLE))
