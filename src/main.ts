import { restartWith } from './own-command.ts'

/**
 * Options of JavaScriptCore for the server. Its last compiler takes 15 % of the CPU time of the first 10,000 pages, and its code
 * saves less. With ten times the default, it only compiles what runs most.
 */
const ENGINE_OPTIONS = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000' }

const argv = process.argv.slice(2)
// Before anything else is loaded, because it is loaded again.
if (argv.length === 0 || argv[0] === 'serve') restartWith(ENGINE_OPTIONS, process.env)
const { run } = await import('./cli/run.ts')
process.exitCode = await run(argv, process.env)
