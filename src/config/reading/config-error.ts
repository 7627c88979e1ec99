import type { Misfit } from '../../domain/queue/misfit.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Config } from '../config.ts'

/** One thing that is wrong with the config, in words that hold no secret. */
export interface Problem {
  /** `destinations.bus.url`; empty where the file itself is broken. */
  path: string
  line: number
  found: string
  expected: string
}

/** As LoadedConfig: what could be read, and how problems of it are told with their lines. */
export interface Rest {
  config: Config
  problemsOf(misfits: readonly Misfit[]): Problem[]
}

/** Everything that is wrong with a config file: one line each, in the order of the file. */
export class ConfigError extends UserError {
  override name = 'ConfigError'
  readonly problems: readonly Problem[]
  readonly file: string
  readonly #rest: Rest | null

  constructor(file: string, problems: readonly Problem[], rest: Rest | null = null) {
    const sorted = problems.toSorted((a, b) => a.line - b.line)
    super(sorted.map((problem) => problemLine(file, problem)).join('\n'))
    this.problems = sorted
    this.file = file
    this.#rest = rest
  }

  /** What is left of the config without what is wrong, for whoever looks for more; null: too little. It has secrets: no log shows it. */
  get rest(): Rest | null {
    return this.#rest
  }
}

/** `tillbridge.yaml:3 server.port: found …, expected …`. */
export function problemLine(file: string, { path, line, found, expected }: Problem): string {
  const where = path === '' ? `${file}:${line}` : `${file}:${line} ${path}:`
  return `${where} found ${found}, expected ${expected}`
}
