import type { PropsWithChildren } from '@kitajs/html'

import { type Frame, Navigation, Shell } from '../shell.tsx'

const TABS = [
  { path: '/admin', label: 'Users', section: '/admin/users' },
  { path: '/admin/invite', label: 'Invitations' },
  { path: '/admin/requests', label: 'Requests' },
  { path: '/admin/health', label: 'Health' },
  { path: '/admin/audit', label: 'Audit log' },
  { path: '/admin/settings', label: 'Settings' },
]

export function AdminShell({ frame, title, children }: PropsWithChildren<{ frame: Frame; title: string }>) {
  return (
    <Shell frame={frame} title={title} description="For operators of this server.">
      <Navigation label="Administration" class="tabs" pages={TABS} path={frame.path} />
      <h1>
        <bdi safe>{title}</bdi>
      </h1>
      {children as 'safe'}
    </Shell>
  )
}
