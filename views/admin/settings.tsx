import { type Frame, Section } from '../shell.tsx'
import { AdminShell } from './admin-shell.tsx'
import { Badge } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/button-link.tsx'
import { RowHead, Table } from '../ui/table.tsx'
import { TextLink } from '../ui/text.tsx'
import groups from './setting-groups.json'

/** A variable of the configuration in effect. */
export interface SettingItem {
  name: string
  /** Secrets are masked; null when unset. */
  value: string | null
  source: 'set' | 'default'
}

export interface AdminSettingsProps {
  frame: Frame
  settings: readonly SettingItem[]
  /** Whether only variables that are set are shown. */
  isChangedOnly: boolean
}

/** The configuration in effect, as `urlmeta config` prints it. In each group, the variables that are set come first. */
export function AdminSettingsPage({ frame, settings, isChangedOnly }: AdminSettingsProps) {
  const changed = settings.filter(({ source }) => source === 'set')
  const shown = isChangedOnly ? changed : [...new Set([...changed, ...settings])]
  const [query, text] = isChangedOnly ? ['', 'Show all settings'] : ['?changed=only', 'Show only changed settings']
  return (
    <AdminShell frame={frame} title="Settings">
      <p class="lead">
        The configuration in effect, as <code>urlmeta config</code> prints it. Secrets are masked. To change it, see{' '}
        <a href="/docs/configuration">Configuration</a>.
      </p>
      <p>
        <span class="muted" safe>{`${changed.length} of ${settings.length} settings are changed.`}</span>{' '}
        <ButtonLink kind="small" href={`/admin/settings${query}`} text={text!} />
      </p>
      {groups.map((group) => (
        <Group {...group} settings={shown.filter(({ name }) => group.names.some((start) => name.startsWith(start)))} />
      ))}
    </AdminShell>
  )
}

type GroupProps = Pick<AdminSettingsProps, 'settings'> & (typeof groups)[number]

/** `names` are the names of variables, or their beginnings. */
function Group({ title, text, document, settings }: GroupProps) {
  if (settings.length === 0) return null
  return (
    <Section id={title.toLowerCase().replaceAll(' ', '-')} title={title}>
      <p>
        <span safe>{text}</span> <TextLink href={document.href} text={document.label} />
      </p>
      <Table class="cards settings" caption={`Settings: ${title}`} columns={['Variable', 'Value', 'Source']}>
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
    </Section>
  )
}
