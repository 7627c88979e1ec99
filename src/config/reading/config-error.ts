import { UserError } from '../../domain/values/errors.ts'

/** One thing that is wrong with the config, in words that hold no secret. */
export interface Problem {
  /** `destinations.bus.url`; empty where the file itself is broken. */
  path: string
  line: number
  found: string
  expected: string
}

/** Everything that is wrong with a config file: one line each, in the order of the file. */
export class ConfigError extends UserError {
  override name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(file: string, problems: readonly Problem[]) {
    const sorted = problems.toSorted((a, b) => a.line - b.line)
    super(sorted.map((problem) => problemLine(file, problem)).join('\n'))
    this.problems = sorted
  }
}

/** `tillbridge.yaml:3 server.port: found …, expected …`. */
export function problemLine(file: string, { path, line, found, expected }: Problem): string {
  const where = path === '' ? `${file}:${line}` : `${file}:${line} ${path}:`
  return `${where} found ${found}, expected ${expected}`
}
