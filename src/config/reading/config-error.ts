import { type Misfit, UserError } from '../../domain/values/errors.ts'
import type { Config } from '../config.ts'

/** One config issue, without secrets. */
export interface Problem {
  /** `destinations.bus.url`; empty if the file itself is broken. */
  path: string
  line: number
  found: string
  expected: string
}

/** What could be read, for further checks. */
export interface Rest {
  config: Config
  problemsOf(misfits: readonly Misfit[]): Problem[]
}

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

  /** The config without its faulty parts; null: too little. It contains secrets: never log it. */
  get rest(): Rest | null {
    return this.#rest
  }
}

/** `tillbridge.yaml:3 server.port: found …, expected …`. */
export function problemLine(file: string, { path, line, found, expected }: Problem): string {
  const where = path === '' ? `${file}:${line}` : `${file}:${line} ${path}:`
  return `${where} found ${found}, expected ${expected}`
}
