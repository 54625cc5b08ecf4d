import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { Landing } from '../../../views/landing.tsx'
import style from '../../../views/style.css' with { type: 'text' }
import { page } from '../page.ts'

export interface LandingRouteParts {
  /** The public origin. */
  baseUrl: () => string
  version: string
}

/** The style sheet changes with the executable alone; an hour spares most requests and outlives no upgrade for long. */
const STYLE_HEADERS = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=3600' }

/** `/`: what this is and how to ask it. */
export const landingRoutes = ({ baseUrl, version }: LandingRouteParts) =>
  new Elysia()
    .get('/', () => page(<Landing baseUrl={baseUrl()} version={version} />))
    .get('/style.css', () => new Response(style, { headers: STYLE_HEADERS }))
