import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { suggest } from '../lib/suggest.ts'
import type { Adapter } from './adapter.ts'

const BUILT_IN: Readonly<Record<string, () => Promise<{ default: Adapter }>>> = {
  files: () => import('./files/files.ts'),
  http: () => import('./http/http.ts'),
  rest: () => import('./rest/rest.ts'),
  'sms-http': () => import('./sms-http/sms-http.ts'),
  smtp: () => import('./smtp/smtp.ts'),
  sql: () => import('./sql/sql.ts'),
  vendure: () => import('./vendure/vendure.ts'),
  woocommerce: () => import('./woocommerce/woocommerce.ts'),
}

export const builtInNames: readonly string[] = Object.keys(BUILT_IN)

async function builtInAdapter(name: string): Promise<Adapter | null> {
  const load = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
  return load ? (await load()).default : null
}

export async function builtInAdapters(): Promise<Adapter[]> {
  return (await Promise.all(Object.values(BUILT_IN).map((load) => load()))).map((module) => module.default)
}

/** A built-in adapter, or the operator's own file, relative to `folder`. Throws a UserError. */
export async function loadAdapter(nameOrPath: string, folder: string): Promise<Adapter> {
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(nameOrPath)) return await loadFile(resolve(folder, nameOrPath))
  const found = await builtInAdapter(nameOrPath)
  if (found) return found
  const near = suggest(nameOrPath, builtInNames)
  const hint = near ? ` Did you mean "${near}"?` : ''
  const choice = `Built in: ${builtInNames.join(', ')}. A file of your own is a path that begins with ./, ../ or /.`
  throw new UserError(`There is no adapter "${nameOrPath}".${hint} ${choice}`)
}

async function loadFile(file: string): Promise<Adapter> {
  if (!['.ts', '.js', '.mjs'].includes(extname(file)))
    throw new UserError(`The adapter file ${file} must end in .ts, .js or .mjs.`)
  if (!existsSync(file)) throw new UserError(`There is no adapter file ${file}.`)
  const { default: adapter } = await importFile(file)
  const missing = missingIn(adapter)
  if (missing.length > 0) throw new UserError(`The adapter file ${file} lacks ${missing.join(' and ')}.`)
  return adapter as Adapter
}

async function importFile(file: string): Promise<{ default?: unknown }> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    throw new UserError(`The adapter file ${file} cannot be loaded: ${messageOf(error)}`, { cause: error })
  }
}

/** A zod schema of another copy is known by its shape. */
function missingIn(adapter: unknown): string[] {
  if (typeof adapter !== 'object' || adapter === null) return ['a default export: export default defineAdapter({ … })']
  const { name, options, patience = 1, create } = adapter as Record<string, unknown>
  const missing = []
  if (typeof name !== 'string' || name === '') missing.push('a name (text)')
  if (typeof options !== 'object' || options === null || !('shape' in options) || !('safeParse' in options))
    missing.push('options (a zod object: z.strictObject({ … }))')
  if (typeof patience !== 'number' || !(patience >= 1)) missing.push('a patience in milliseconds (or none)')
  if (typeof create !== 'function') missing.push('create(options, context)')
  return missing
}
