import type { PropsWithChildren } from '@kitajs/html'

import { type Frame, Shell } from '../shell.tsx'

const TABS = [
  { path: '/admin', label: 'Users' },
  { path: '/admin/invite', label: 'Invitations' },
  { path: '/admin/health', label: 'Health' },
  { path: '/admin/audit', label: 'Audit log' },
  { path: '/admin/settings', label: 'Settings' },
]

/** The frame of the operator pages, with their navigation. */
export function AdminShell({ frame, title, children }: PropsWithChildren<{ frame: Frame; title: string }>) {
  return (
    <Shell frame={frame} title={title} description="For operators of this server.">
      <nav aria-label="Administration">
        <ul class="tabs">
          {TABS.map(({ path, label }) => (
            <li>
              <a href={path} aria-current={currentOf(path, frame.path)} safe>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children as 'safe'}
    </Shell>
  )
}

/** A user's page belongs to the Users tab. */
function currentOf(tab: string, path: string): 'page' | 'true' | undefined {
  if (tab === path) return 'page'
  return tab === '/admin' && path.startsWith('/admin/users/') ? 'true' : undefined
}
