import type { AuditEntry } from '../../src/core/accounts/audit-log.ts'
import type { Plan } from '../../src/core/plan.ts'
import type { DailyUsage } from '../../src/core/usage/ports.ts'
import { type Frame, Section } from '../shell.tsx'
import { Confirm, PostForm, Select, TextField, type TextFieldProps } from '../ui/form.tsx'
import { CHART_DAYS, chartDays, totalsOf } from '../ui/chart-days.ts'
import { type KeyItem, KeyTable } from '../ui/key-table.tsx'
import { countText } from '../ui/number.ts'
import { ChartStats } from '../ui/stat.tsx'
import { DateTime } from '../ui/time.tsx'
import { UsageChart } from '../ui/usage-chart.tsx'
import { AdminShell } from './admin-shell.tsx'
import { AuditList } from './audit.tsx'
import { PagedList, type Paging } from '../ui/pager.tsx'
import { type AdminUserItem, adminUserPath, UserState } from './users.tsx'

export interface AdminUserProps {
  frame: Frame
  user: AdminUserItem
  /** The last `CHART_DAYS` days; days without requests may be missing. */
  days: DailyUsage[]
  /** One page of the user's keys: active keys first, each group newest first. */
  keys: KeyItem[]
  paging: Paging
  plans: Plan[]
  /** The user's own limits. */
  limitFields: TextFieldProps[]
  /** The latest operator actions on this user, newest first. */
  audit: AuditEntry[]
}

export function AdminUserPage({ frame, user, days, keys, paging, plans, limitFields, audit }: AdminUserProps) {
  const path = adminUserPath(user.id)
  const chart = chartDays(days, CHART_DAYS, frame.nowMs)
  const confirmation = { csrf: frame.csrf, subject: user.email }
  return (
    <AdminShell frame={frame} title={user.email}>
      <p>
        <UserState user={user} />{' '}
        <span class="muted">
          {user.suspendedAtMs !== null && (
            <>
              since <DateTime ms={user.suspendedAtMs} /> ·{' '}
            </>
          )}
          {user.name !== null && (
            <>
              <bdi safe>{user.name}</bdi> ·{' '}
            </>
          )}
          account created on <DateTime ms={user.createdAtMs} /> ·{' '}
          <span safe>{`${countText(user.used)} of ${countText(user.monthLimit)} requests this month`}</span>
        </span>
      </p>
      <div class="columns">
        <Section id="plan-head" title="Plan and limits" class="panel">
          <PostForm action={`${path}/plan`} csrf={frame.csrf} class="inline" label="Change plan">
            <Select
              name="plan"
              label="Plan"
              value={user.plan}
              options={plans.map(({ name, label }) => [name, label])}
            />
            <button class="button">Change plan</button>
          </PostForm>
          <PostForm action={`${path}/limits`} csrf={frame.csrf} class="stack" label="Own limits">
            {limitFields.map((field) => (
              <TextField {...field} />
            ))}
            <button class="button">Save limits</button>
          </PostForm>
          <p class="hint">
            Changes take effect with the next request. Lower limits do not deactivate keys. An empty limit is that of
            the plan; the others stay when the plan changes.
          </p>
        </Section>
        <Section id="days" title={`Last ${CHART_DAYS} days`} class="panel">
          <ChartStats totals={totalsOf(chart)} />
          <UsageChart days={chart} empty="No requests. Those of all keys and the playground appear here." hasTable />
        </Section>
      </div>
      <Section id="access" title="Access" class="panel">
        <div class="columns">
          {frame.viewer?.email === user.email ? (
            <p class="hint">This is your own account, which you cannot suspend.</p>
          ) : (
            <div class="stack">
              {user.suspendedAtMs !== null ? (
                <PostForm action={`${path}/resume`} csrf={frame.csrf}>
                  <button class="button">Lift suspension</button>
                </PostForm>
              ) : (
                <Confirm
                  {...confirmation}
                  action={`${path}/suspend`}
                  label="Suspend"
                  question="Keys and sessions stop working immediately and sign-in is refused. You can lift the suspension later."
                />
              )}
              <p class="hint">A suspended user keeps all data but cannot use the service.</p>
            </div>
          )}
          <div class="stack">
            <Confirm
              {...confirmation}
              action={`${path}/disconnect`}
              label="Disconnect"
              question="All sign-in methods are removed and all sessions end. The next sign-in with this verified address gets the account and its keys."
            />
            <p class="hint">Use this when sign-in is refused because the user has a new id at the provider.</p>
          </div>
        </div>
      </Section>
      <Section id="keys" title="Keys">
        <PagedList paging={paging} href={(page) => `${path}?page=${page}`}>
          {keys.length === 0 ? (
            <p class="empty">This user has no keys.</p>
          ) : (
            <KeyTable
              keys={keys}
              frame={frame}
              isOwnerSuspended={user.suspendedAtMs !== null}
              deactivate={(id) => `${path}/keys/${encodeURIComponent(id)}/deactivate`}
            />
          )}
        </PagedList>
      </Section>
      <Section id="audit" title="Activity">
        <AuditList entries={audit} empty="No activity yet." />
      </Section>
    </AdminShell>
  )
}
