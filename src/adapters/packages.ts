import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { basename, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolve } from 'import-meta-resolve'
import satisfies from 'semver/functions/satisfies.js'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { orElse } from '../lib/or-else.ts'
import { OWN_VERSION } from '../lib/own-version.ts'

const PREFIX = 'tillbridge-adapter-'

/** A name of the npm registry, with a scope or without. */
const NAME = /^(?:(@[a-z0-9][\w.-]*)\/)?([a-z0-9][a-z0-9._-]*)$/

/** `x` is short for `tillbridge-adapter-x`, and `@acme/x` for `@acme/tillbridge-adapter-x`. Null: no package has such a name. */
export function packageNameOf(adapter: string): string | null {
  const [, scope, name] = NAME.exec(adapter) ?? []
  if (name === undefined) return null
  return `${scope === undefined ? '' : `${scope}/`}${name.startsWith(PREFIX) ? '' : PREFIX}${name}`
}

/**
 * Finds a package of adapters, for a config in `folder`: in the node_modules of that folder or of those above it, else where
 * Tillbridge has its own. `title`, for errors: name, version and folder. Null if it is not installed. Throws a UserError if it is not made for this version of Tillbridge.
 */
export function findPackage(name: string, folder: string): { title: string; url: string } | null {
  for (const base of basesFor(folder)) {
    const manifestFile = orElse(() => findPackageJSON(name, base), undefined)
    if (manifestFile === undefined) continue
    return packageAt(manifestFile, base)
  }
  return null
}

/** A package in a folder of its own, not installed. Throws a UserError. */
export function packageIn(folder: string): { title: string; url: string } {
  const manifestFile = join(folder, 'package.json')
  if (!existsSync(manifestFile)) throw new UserError(`There is no package.json in ${folder}.`)
  return packageAt(manifestFile, pathToFileURL(manifestFile).href)
}

function packageAt(manifestFile: string, base: string): { title: string; url: string } {
  const manifest: { name?: string; version?: string; peerDependencies?: Record<string, string> } = JSON.parse(
    readFileSync(manifestFile, 'utf8'),
  )
  const { name = 'without a name', version = 'without a version', peerDependencies } = manifest
  const title = `${name} ${version} (${manifestFile})`
  mustFit(name, title, peerDependencies?.tillbridge)
  try {
    return { title, url: resolve(name, base) }
  } catch (error) {
    throw new UserError(`The package ${title} cannot be loaded: ${messageOf(error)}`, { cause: error })
  }
}

function basesFor(folder: string): string[] {
  return [pathToFileURL(join(folder, 'tillbridge.yaml')).href, import.meta.url]
}

function mustFit(name: string, title: string, range: string | undefined): void {
  if (range === undefined)
    throw new UserError(
      `The package ${title} does not say which versions of Tillbridge it works with. Its package.json must have them: "peerDependencies": { "tillbridge": "^${OWN_VERSION}" }.`,
    )
  if (satisfies(OWN_VERSION, range, { includePrerelease: true })) return
  throw new UserError(
    `The package ${title} works with Tillbridge ${range}, and this is Tillbridge ${OWN_VERSION}. Install a version of it that works with this one, such as npm install ${name}@latest, or run a Tillbridge that it works with.`,
  )
}

/** The short names of all that are installed for a config in `folder`. */
export function installedNames(folder: string): string[] {
  const places = basesFor(folder).flatMap((base) => createRequire(base).resolve.paths(PREFIX) ?? [])
  const names = places.filter((place) => basename(place) === 'node_modules').flatMap(packagesIn)
  return [...new Set(names)].map((name) => name.replaceAll(sep, '/').replace(PREFIX, '')).sort()
}

/** A package may be a link to a folder, which a pattern with a further part would not follow. */
function packagesIn(place: string): string[] {
  const names = globSync([`${PREFIX}*`, `@*/${PREFIX}*`], { cwd: place })
  return names.filter((name) => existsSync(join(place, name, 'package.json')))
}
