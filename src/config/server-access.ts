import { z } from 'zod'
import { ServerAccess } from './config.ts'
import { ConfigError } from './reading/config-error.ts'
import type { Env } from './reading/env.ts'
import { issuesOf, plainWords } from './reading/issues.ts'
import { readConfigText } from './reading/load.ts'
import { isMap, valueAt } from './reading/path.ts'
import { fillPlaceholders } from './reading/placeholders.ts'
import { createReport } from './reading/report.ts'
import { parseYamlFile } from './reading/yaml-file.ts'

const AT = ['server'] as const

/**
 * Server address and admin token, whatever else is wrong in the file: a running hub started with an earlier version. Throws a ConfigError
 * if these cannot be read, or a UserError if there is no file.
 */
export async function loadServerAccess(path: string, env: Env): Promise<z.output<typeof ServerAccess>> {
  return await loadServer(path, env, ServerAccess.shape)
}

/** Without the admin token, for callers with a key of their own. */
export async function loadServerAddress(path: string, env: Env): Promise<{ host: string; port: number }> {
  const { host, port } = ServerAccess.shape
  return await loadServer(path, env, { host, port })
}

async function loadServer<Keys extends z.ZodRawShape>(path: string, env: Env, keys: Keys) {
  const file = parseYamlFile(await readConfigText(path))
  const report = createReport(file)
  // Text after a syntax error cannot be trusted.
  if (file.placeOf(AT).end >= file.brokenAt) throw new ConfigError(path, report.problems())
  const schema = z.object(keys)
  const schemas = [{ at: AT, schema }]
  const filled = fillPlaceholders({ server: only(keys, valueAt(file.root, AT)) }, env, schemas, report)
  const { data, error } = schema.safeParse(valueAt(filled, AT), { error: plainWords })
  for (const issue of issuesOf(error?.issues ?? [], AT)) report.disagreement(issue, schemas)
  const faults = report.problems().filter((problem) => problem.path.startsWith('server'))
  if (data === undefined || faults.length > 0) throw new ConfigError(path, faults)
  return data
}

function only(keys: object, server: unknown): Record<string, unknown> {
  const entries = Object.entries(isMap(server) ? server : {})
  return Object.fromEntries(entries.filter(([key]) => Object.hasOwn(keys, key)))
}
