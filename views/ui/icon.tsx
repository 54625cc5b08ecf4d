import { ASSETS } from '../assets.ts'

/** A symbol of icons.svg, beside a text that says the same, so that screen readers skip it. */
export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${ASSETS['/icons.svg'].href}#${name}`} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg width="24" height="24" aria-hidden="true">
      <use href={`${ASSETS['/favicon.svg'].href}#logo`} />
    </svg>
  )
}
