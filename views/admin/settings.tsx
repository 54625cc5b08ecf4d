import type { Frame } from '../shell.tsx'
import { AdminShell } from './admin-shell.tsx'
import { Badge } from '../ui/badge.tsx'
import { RowHead, Table } from '../ui/table.tsx'

/** A variable of the configuration in effect. */
export interface SettingItem {
  name: string
  /** Secrets are masked; null when unset. */
  value: string | null
  source: 'set' | 'default'
}

/** The configuration in effect, as `urlmeta config` prints it. */
export function AdminSettingsPage({ frame, settings }: { frame: Frame; settings: readonly SettingItem[] }) {
  return (
    <AdminShell frame={frame} title="Settings">
      <h1>Settings</h1>
      <p class="lead">
        The configuration in effect, as <code>urlmeta config</code> prints it. Secrets are masked.
      </p>
      <Table class="cards settings" caption="Settings in effect" columns={['Variable', 'Value', 'Source']}>
        {settings.map(({ name, value, source }) => (
          <tr>
            <RowHead of="code" text={name} />
            <td data-label="Value" class="text">
              {value === null ? <span class="muted">not set</span> : <code safe>{value}</code>}
            </td>
            <td data-label="Source">
              {source === 'set' ? <Badge tone="accent" text="Set" /> : <span class="muted">default</span>}
            </td>
          </tr>
        ))}
      </Table>
    </AdminShell>
  )
}
