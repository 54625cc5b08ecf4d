import { escapeHtml } from '@kitajs/html'

import { Icon } from './icon.tsx'

const ICONS = { good: 'check', warn: 'triangle-alert', bad: 'x' } as const

export interface BadgeProps {
  tone?: keyof typeof ICONS | 'accent' | ''
  text: string
}

/** Most tones also have an icon, because an icon does not depend on colors. */
export function Badge({ tone = '', text }: BadgeProps) {
  return (
    <span class={tone === '' ? 'badge' : `badge ${tone}`}>
      {tone !== '' && tone !== 'accent' && <Icon name={ICONS[tone]} />}
      {escapeHtml(text)}
    </span>
  )
}

export function StatusBadge({ status }: { status: number }) {
  return <Badge tone={status < 300 ? 'good' : status < 400 ? 'accent' : 'bad'} text={String(status)} />
}
