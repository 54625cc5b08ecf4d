import favicon from './favicon.svg' with { type: 'text' }
import script from './script.js' with { type: 'text' }
import style from './style.css' with { type: 'text' }

/** The files that pages ask for, by path; each is embedded as text. */
export const ASSETS = {
  '/style.css': { type: 'text/css; charset=utf-8', text: style },
  '/script.js': { type: 'text/javascript; charset=utf-8', text: script },
  '/favicon.svg': { type: 'image/svg+xml', text: favicon },
} as const
