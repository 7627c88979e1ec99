import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type ConfigIssue, ConfigIssueError, messageOf, UserError } from '../domain/values/errors.ts'
import { isMap } from '../lib/collections.ts'
import { Config, WrittenDestination } from './config.ts'
import { ConfigError, createReport, flattenIssues, plainWords, type Report } from './issues.ts'
import { type Env, fillPlaceholders, fillText } from './placeholders.ts'
import { type Path, valueAt } from './schema.ts'
import { type Problem, parseYamlFile } from './yaml-file.ts'

export interface LoadedConfig {
  config: Config
  path: string
  folder: string
  problemsOf(configIssues: readonly ConfigIssue[]): Problem[]
}

/**
 * Reads and checks the config. `adapterOptions`: of a built-in adapter, of a package, or of a file relative to the folder of the config;
 * throws a UserError. Throws a ConfigError with every issue, or a UserError if there is no file.
 */
export async function loadConfig(request: {
  path: string
  env: Env
  adapterOptions(adapter: string, folder: string): Promise<z.ZodObject>
}): Promise<LoadedConfig> {
  const { path, env, adapterOptions } = request
  const file = parseYamlFile(await readConfigText(path))
  const hidden = new Set<string>()
  const report = createReport(file, hidden)
  const folder = dirname(resolve(path))
  const options = await findOptions(file.root, env, (adapter) => adapterOptions(adapter, folder), report)
  const schemas = [{ at: [], schema: Config }, ...options]
  const filled = fillPlaceholders(file.root, env, schemas, report)

  async function check<Schema extends z.ZodType>(schema: Schema, value: unknown, at: Path) {
    const result = await schema.safeParseAsync(value, { error: plainWords })
    for (const issue of flattenIssues(result.error?.issues ?? [], at)) report.issue(issue, schemas)
    return result.data
  }

  const config = await check(Config, filled, [])
  const checked = new Map<string, Record<string, unknown>>()
  for (const { name, at, schema } of options) {
    checked.set(name, (await check(schema, ownOptions(valueAt(filled, at)), at)) ?? {})
  }
  const problems = report.problems()
  if (!config || problems.length > 0) throw new ConfigError(path, problems)
  const destinations = config.destinations.map((one) => ({ ...one, options: checked.get(one.name) ?? {} }))
  return { config: deepFreeze({ ...config, destinations }), path, folder, problemsOf }

  function problemsOf(configIssues: readonly ConfigIssue[]): Problem[] {
    const later = createReport(file, hidden)
    for (const configIssue of configIssues) later.issue(configIssue, schemas)
    return later.problems().sort((a, b) => a.line - b.line)
  }
}

const WHY_UNREAD: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder; name the file in it (TILLBRIDGE_CONFIG)',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** Throws a UserError if the file is missing or unreadable. */
async function readConfigText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const remedy = 'say where it is (TILLBRIDGE_CONFIG), or write one to begin with (tillbridge init)'
    const why = WHY_UNREAD[code] ?? messageOf(cause)
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

interface DestinationOptions {
  name: string
  at: readonly [section: 'destinations', name: string]
  schema: z.ZodObject
}

const COMMON_KEYS = Object.keys(WrittenDestination.in.shape)

async function findOptions(
  root: unknown,
  env: Env,
  find: (adapter: string) => Promise<z.ZodObject>,
  report: Report,
): Promise<DestinationOptions[]> {
  const found: DestinationOptions[] = []
  const destinations = valueAt(root, ['destinations'])
  for (const [name, destination] of Object.entries(isMap(destinations) ? destinations : {})) {
    const written = valueAt(destination, ['adapter'])
    const adapter = typeof written === 'string' ? filledOrNull(written, env) : null
    if (!adapter) continue
    const at = ['destinations', name] as const
    try {
      found.push({ name, at, schema: checked(await find(adapter)) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      report.problem([...at, 'adapter'], JSON.stringify(written), `an adapter that can be used: ${error.message}`)
    }
  }
  return found
}

function ownOptions(destination: unknown): Record<string, unknown> {
  const entries = isMap(destination) ? Object.entries(destination) : []
  return Object.fromEntries(entries.filter(([key]) => !COMMON_KEYS.includes(key)))
}

/** Faults of placeholders are reported elsewhere. */
function filledOrNull(written: string, env: Env): string | null {
  const faults: string[] = []
  const text = fillText(written, env, { problem: (found) => faults.push(found), hide: () => {} })
  return faults.length === 0 ? text : null
}

function checked(options: z.ZodObject): z.ZodObject {
  const taken = COMMON_KEYS.filter((key) => key in options.shape)
  if (taken.length > 0) throw new UserError(`its option ${taken.join(', ')} has the name of a key of every destination`)
  return options.def.catchall ? options : options.strict()
}

export function located(error: unknown, { path, problemsOf }: Pick<LoadedConfig, 'path' | 'problemsOf'>): unknown {
  return error instanceof ConfigIssueError ? new ConfigError(path, problemsOf(error.configIssues)) : error
}

const AT = ['server'] as const

/**
 * Keys of the server section, whatever else is wrong in the file: a running hub started with an earlier version. Throws a ConfigError if
 * these cannot be read, or a UserError if there is no file.
 */
export async function loadServer<Keys extends z.ZodRawShape>(path: string, env: Env, keys: Keys) {
  const file = parseYamlFile(await readConfigText(path))
  const report = createReport(file)
  // Text after a syntax error cannot be trusted.
  if (file.locationOf(AT).end >= file.brokenAt) throw new ConfigError(path, report.problems())
  const schema = z.object(keys)
  const schemas = [{ at: AT, schema }]
  const filled = fillPlaceholders({ server: only(keys, valueAt(file.root, AT)) }, env, schemas, report)
  const { data, error } = schema.safeParse(valueAt(filled, AT), { error: plainWords })
  for (const issue of flattenIssues(error?.issues ?? [], AT)) report.issue(issue, schemas)
  const faults = report.problems().filter((problem) => problem.path.startsWith('server'))
  if (data === undefined || faults.length > 0) throw new ConfigError(path, faults)
  return data
}

function only(keys: object, server: unknown): Record<string, unknown> {
  const entries = Object.entries(isMap(server) ? server : {})
  return Object.fromEntries(entries.filter(([key]) => Object.hasOwn(keys, key)))
}
