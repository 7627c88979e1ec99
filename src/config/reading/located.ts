import { MisfitError } from '../../domain/queue/misfit.ts'
import { ConfigError } from './config-error.ts'
import type { LoadedConfig } from './load.ts'

/** The error that came of putting a config to use, with its lines where it is about the config. */
export function located(error: unknown, { path, problemsOf }: Pick<LoadedConfig, 'path' | 'problemsOf'>): unknown {
  return error instanceof MisfitError ? new ConfigError(path, problemsOf(error.misfits)) : error
}
