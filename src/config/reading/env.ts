import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export type Env = Readonly<Record<string, string | undefined>>

/** Variables read by the program itself; all others come through `${NAME}` in the config. */
export interface ProgramEnv {
  configPath: string
}

/** An empty variable counts as not set. */
export function readProgramEnv(env: Env): ProgramEnv {
  return { configPath: env.TILLBRIDGE_CONFIG || 'config/tillbridge.yaml' }
}

/**
 * Reads the environment anew, with the current content of `--env-file` files in `args`. Variables given otherwise stay: they are not in
 * the files, or took precedence at the start.
 */
export function createEnvReader(env: Env, args: readonly string[]): () => Env {
  const files = filesIn(args)
  const before = read(files)
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => before[name] !== value))
  return () => ({ ...read(files), ...given })
}

function filesIn(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, path] = /^--env-file(?:-if-exists)?(?:=(.*))?$/.exec(arg) ?? []
    if (path !== undefined) return [path]
    return /^--env-file(-if-exists)?$/.test(arg) ? (args[index + 1] ?? []) : []
  })
}

/** Later files win; a missing one is empty. */
function read(files: readonly string[]): Env {
  return Object.assign({}, ...files.map(readOne))
}

function readOne(path: string): Env {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
