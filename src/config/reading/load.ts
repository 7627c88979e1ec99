import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import type { Misfit } from '../../domain/queue/misfit.ts'
import { UserError } from '../../domain/values/errors.ts'
import { findOptions, ownOptions } from '../adapter-options.ts'
import { Config } from '../config.ts'
import { ConfigError, type Problem } from './config-error.ts'
import type { Env } from './env.ts'
import { issuesOf } from './issues.ts'
import { isMap, type Path, valueAt } from './path.ts'
import { fillPlaceholders } from './placeholders.ts'
import { plainWords } from './plain-words.ts'
import { createReport } from './report.ts'
import { readWithoutFaults } from './without.ts'
import { parseYamlFile } from './yaml-file.ts'

export interface LoadRequest {
  path: string
  env: Env
  /** The options of a built-in adapter, or of a file relative to the config's folder. Throws a UserError. */
  adapterOptions(adapter: string, folder: string): Promise<z.ZodObject>
}

/** A config, and the file that it was read from. */
export interface LoadedConfig {
  /** Frozen. */
  config: Config
  path: string
  /** Where relative paths in it begin. */
  folder: string
  /** Problems found later, when everything was put together, with their lines in the file. */
  problemsOf(misfits: readonly Misfit[]): Problem[]
}

/**
 * Reads and checks the whole config, the adapters' options too. Throws a ConfigError that lists everything that is
 * wrong, or a UserError where there is no file.
 */
export async function loadConfig({ path, env, adapterOptions }: LoadRequest): Promise<LoadedConfig> {
  const file = parseYamlFile(await readConfigText(path))
  const hidden = new Set<string>()
  const report = createReport(file, hidden)
  const folder = dirname(resolve(path))
  const options = await findOptions(file.root, env, (adapter) => adapterOptions(adapter, folder), report)
  const schemas = [{ at: [], schema: Config }, ...options]
  const filled = fillPlaceholders(file.root, env, schemas, report)

  async function check<Schema extends z.ZodType>(schema: Schema, value: unknown, at: Path) {
    const result = await schema.safeParseAsync(value, { error: plainWords })
    for (const issue of issuesOf(result.error?.issues ?? [], at)) report.disagreement(issue, schemas)
    return result.data
  }

  const config = await check(Config, filled, [])
  const checked = new Map<string, Record<string, unknown>>()
  for (const { name, at, schema } of options) {
    checked.set(name, (await check(schema, ownOptions(valueAt(filled, at)), at)) ?? {})
  }
  const problems = report.problems()
  if (!config || problems.length > 0) {
    const readable = fillPlaceholders(file.root, withUnset(env, file.root), schemas, IGNORED)
    const rest = await readWithoutFaults(Config, readable)
    throw new ConfigError(path, problems, rest && { config: rest, problemsOf })
  }
  const destinations = config.destinations.map((one) => ({ ...one, options: checked.get(one.name) ?? {} }))
  return {
    config: deepFreeze({ ...config, destinations }),
    path,
    folder,
    problemsOf,
  }

  function problemsOf(misfits: readonly Misfit[]): Problem[] {
    const later = createReport(file, hidden)
    for (const misfit of misfits) later.misfit(misfit, schemas)
    return later.problems().sort((a, b) => a.line - b.line)
  }
}

const IGNORED = { problem() {}, hide() {} }

/** The environment with a text for each variable that config names and that is not set: what else is wrong can be seen then. */
function withUnset(env: Env, root: unknown): Env {
  const named = JSON.stringify(root ?? null).matchAll(/\$\{(\w+)\}/g)
  return { ...Object.fromEntries([...named].map(([, name = '']) => [name, 'a-variable-not-set'])), ...env }
}

/** Words of the system on a file, for people. */
const WHY_UNREAD: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder; name the file in it (TILLBRIDGE_CONFIG)',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** The text of a config file. Throws a UserError where there is none, or where it cannot be read. */
export async function readConfigText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const remedy = 'say where it is (TILLBRIDGE_CONFIG), or write one to begin with (tillbridge init)'
    const why = WHY_UNREAD[code] ?? (cause instanceof Error ? cause.message : String(cause))
    const fault =
      code === 'ENOENT' ? `There is no config at ${path}: ${remedy}` : `The config ${path} cannot be read: ${why}`
    throw new UserError(fault, { cause })
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (Array.isArray(value) || isMap(value)) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}
