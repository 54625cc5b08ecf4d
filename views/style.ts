import base from './base.css' with { type: 'text' }
import shell from './shell.css' with { type: 'text' }
import icon from './ui/icon.css' with { type: 'text' }
import block from './ui/block.css' with { type: 'text' }
import button from './ui/button.css' with { type: 'text' }
import form from './ui/form.css' with { type: 'text' }
import code from './ui/code.css' with { type: 'text' }
import codeExamples from './ui/code-examples.css' with { type: 'text' }
import table from './ui/table.css' with { type: 'text' }
import stat from './ui/stat.css' with { type: 'text' }
import legend from './ui/legend.css' with { type: 'text' }
import monthMeter from './ui/month-meter.css' with { type: 'text' }
import usageChart from './ui/usage-chart.css' with { type: 'text' }
import pager from './admin/pager.css' with { type: 'text' }
import health from './admin/health.css' with { type: 'text' }
import overview from './overview.css' with { type: 'text' }
import usage from './usage.css' with { type: 'text' }
import requests from './requests.css' with { type: 'text' }
import landing from './landing.css' with { type: 'text' }
import usageAlerts from './account/usage-alerts.css' with { type: 'text' }
import signIn from './sign-in.css' with { type: 'text' }
import errorPage from './error-page.css' with { type: 'text' }
import playground from './playground.css' with { type: 'text' }
import previewsTab from './playground/previews-tab.css' with { type: 'text' }
import previewCard from './playground/preview-card.css' with { type: 'text' }
import appCards from './playground/app-cards.css' with { type: 'text' }
import checksTab from './playground/checks-tab.css' with { type: 'text' }
import sourcesTab from './playground/sources-tab.css' with { type: 'text' }
import redirectChain from './playground/redirect-chain.css' with { type: 'text' }
import timing from './playground/timing.css' with { type: 'text' }
import docs from './docs.css' with { type: 'text' }
import fieldList from './docs/field-list.css' with { type: 'text' }
import errors from './docs/errors.css' with { type: 'text' }

/** All style sheets. Later rules override earlier ones of equal specificity, so shared components precede pages. */
const SHEETS = [
  base,
  shell,
  icon,
  block,
  button,
  form,
  code,
  codeExamples,
  table,
  stat,
  legend,
  monthMeter,
  usageChart,
  pager,
  health,
  overview,
  usage,
  requests,
  landing,
  usageAlerts,
  signIn,
  errorPage,
  playground,
  previewsTab,
  previewCard,
  appCards,
  checksTab,
  sourcesTab,
  redirectChain,
  timing,
  docs,
  fieldList,
  errors,
]

/** The one style sheet of all pages. */
export const STYLE = SHEETS.join('\n')
