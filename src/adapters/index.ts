import { existsSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { suggest } from '../lib/suggest.ts'
import type { Adapter } from './adapter.ts'

/** Of protocols: packages as others are, in the hub's own bundle. */
const BUILT_IN: Readonly<Record<string, () => Promise<{ default: Adapter }>>> = {
  files: () => import('tillbridge-adapter-files'),
  http: () => import('tillbridge-adapter-http'),
  rest: () => import('tillbridge-adapter-rest'),
  'sms-http': () => import('tillbridge-adapter-sms-http'),
  smtp: () => import('tillbridge-adapter-smtp'),
}

export const builtInNames: readonly string[] = Object.keys(BUILT_IN)

/** Every adapter that a config in `folder` may name without a path: built in, or a package that is installed. Throws a UserError. */
export async function availableAdapters(folder: string): Promise<Pick<Adapter, 'name' | 'options'>[]> {
  const { installedNames } = await import('./packages.ts')
  const names = new Set([...builtInNames, ...installedNames(folder)])
  return await Promise.all(
    [...names].map(async (name) => ({ name, options: (await loadAdapter(name, folder)).options })),
  )
}

/** A built-in adapter, a package that is installed, or the operator's own file or folder of a package, relative to `folder`. Throws a UserError. */
export async function loadAdapter(nameOrPath: string, folder: string): Promise<Adapter> {
  if (isPath(nameOrPath)) return await loadFile(resolve(folder, nameOrPath))
  const load = Object.hasOwn(BUILT_IN, nameOrPath) ? BUILT_IN[nameOrPath] : undefined
  return load ? (await load()).default : await loadPackage(nameOrPath, folder)
}

export function isPath(nameOrPath: string): boolean {
  return /^(\.{0,2}\/|\.{1,2}$)/.test(nameOrPath)
}

/** Loaded when one is named: who has built-in adapters alone needs no lookup of packages. */
async function loadPackage(adapter: string, folder: string): Promise<Adapter> {
  const { findPackage, installedNames, packageNameOf } = await import('./packages.ts')
  const name = packageNameOf(adapter)
  const found = name === null ? null : findPackage(name, folder)
  if (found) return await importAdapter(found.url, `package ${found.title}`)
  const installed = installedNames(folder).filter((one) => !builtInNames.includes(one))
  const near = suggest(adapter, [...builtInNames, ...installed])
  const sentences = [
    `There is no adapter "${adapter}".`,
    near && `Did you mean "${near}"?`,
    `Built in: ${builtInNames.join(', ')}.`,
    installed.length > 0 && `Installed: ${installed.join(', ')}.`,
    name !== null && `A package is installed by: npm install ${name}.`,
    'A file of your own is a path that begins with ./, ../ or /.',
  ]
  throw new UserError(sentences.filter(Boolean).join(' '))
}

async function loadFile(file: string): Promise<Adapter> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    const { packageIn } = await import('./packages.ts')
    const { title, url } = packageIn(file)
    return await importAdapter(url, `package ${title}`)
  }
  if (!['.ts', '.js', '.mjs'].includes(extname(file)))
    throw new UserError(`The adapter file ${file} must end in .ts, .js or .mjs.`)
  if (!existsSync(file)) throw new UserError(`There is no adapter file ${file}.`)
  return await importAdapter(pathToFileURL(file).href, `adapter file ${file}`)
}

let isHooked = false

/**
 * Wherever an adapter lies, what it imports of Tillbridge is the Tillbridge that loads it: another copy would have other classes of
 * errors. VS Code gives its extensions `vscode` in the same way. Of zod, which options are made with, it may have its own.
 */
function hookOwnEntry(): void {
  if (isHooked) return
  isHooked = true
  registerHooks({
    resolve(specifier, context, next) {
      const ours = { ...context, parentURL: import.meta.url }
      if (specifier.startsWith('tillbridge/')) return next(specifier, ours)
      if (specifier !== 'zod') return next(specifier, context)
      try {
        return next(specifier, context)
      } catch {
        return next(specifier, ours)
      }
    },
  })
}

async function importAdapter(url: string, title: string): Promise<Adapter> {
  hookOwnEntry()
  const { default: adapter }: { default?: unknown } = await import(url).catch((error: unknown) => {
    throw new UserError(`The ${title} cannot be loaded: ${messageOf(error)}`, { cause: error })
  })
  const missing = missingIn(adapter)
  if (missing.length > 0) throw new UserError(`The ${title} lacks ${missing.join(' and ')}.`)
  return adapter as Adapter
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
