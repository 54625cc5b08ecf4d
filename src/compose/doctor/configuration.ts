import type { Config } from '../../config.ts'
import { type Finding, ok, warning } from '../../service/operation/doctor.ts'
import { exposedFiles } from '../data/data-dir.ts'

/** Checks the files that the configuration is read from. */
export function checkConfigurationFiles(config: Config): Finding {
  const files = exposedFiles(config).join(' ')
  if (files === '') return ok('no file with secrets can be read by every user')
  return warning(`every user of this machine can read ${files}, which can contain secrets`, `chmod o= ${files}`)
}
