import base from './base.css' with { type: 'text' }
import shell from './shell.css' with { type: 'text' }
import block from './ui/block.css' with { type: 'text' }
import button from './ui/button.css' with { type: 'text' }
import form from './ui/form.css' with { type: 'text' }
import code from './ui/code.css' with { type: 'text' }
import table from './ui/table.css' with { type: 'text' }
import chart from './ui/chart.css' with { type: 'text' }
import health from './admin/health.css' with { type: 'text' }
import overview from './overview.css' with { type: 'text' }
import requests from './requests.css' with { type: 'text' }
import landing from './landing.css' with { type: 'text' }
import usageAlerts from './account/usage-alerts.css' with { type: 'text' }
import playground from './playground/playground.css' with { type: 'text' }
import previewsTab from './playground/previews-tab.css' with { type: 'text' }
import previewCard from './playground/preview-card.css' with { type: 'text' }
import appCards from './playground/app-cards.css' with { type: 'text' }
import resultTabs from './playground/result-tabs.css' with { type: 'text' }
import timing from './playground/timing.css' with { type: 'text' }
import docs from './docs.css' with { type: 'text' }

const SHARED = [base, shell, block, button, form, code, table, chart]
const PAGES = [health, overview, requests, landing, usageAlerts]
const PLAYGROUND = [playground, previewsTab, previewCard, appCards, resultTabs, timing]

/**
 * The one style sheet of all pages. Later rules override earlier rules of equal specificity, so shared styles come first.
 */
export const STYLE = [...SHARED, ...PAGES, ...PLAYGROUND, docs].join('\n')
