import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Environment variables by name, as `process.env` holds them. */
export type Env = Readonly<Record<string, string | undefined>>

/** Variables that the program itself reads from its environment; everything else comes through `${NAME}` in the config file. */
export interface ProgramEnv {
  /** TILLBRIDGE_CONFIG: the config file, relative to the working folder. */
  configPath: string
}

/** Reads the program's own variables. A variable that is set to nothing counts as not set. */
export function readProgramEnv(env: Env): ProgramEnv {
  return { configPath: env.TILLBRIDGE_CONFIG || 'config/tillbridge.yaml' }
}

/**
 * Reads the environment again: what Node was told to take from files (`--env-file`, in `args`) is as these files are now. What
 * the process was given otherwise stays: it is not in them, or it was stronger when the process began.
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

/** A later file is stronger. One that is gone has nothing. */
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
