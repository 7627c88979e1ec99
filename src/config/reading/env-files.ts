import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Env } from './env.ts'

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
