import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** One file that imports another; both from the folder that was read (`inbox/accept.ts`), or `../…` from beside it. */
export interface Import {
  from: string
  to: string
}

/** Every file of ours that a file names in an import, an export, a type or a URL. */
export function importsOf(file: string, source: string): Import[] {
  return specifiersOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from: file, to: relative('.', join(dirname(file), specifier)) }))
}

/** Every package that a file names, with its path inside: `nodemailer/lib/addressparser`, `node:fs`. */
export function packagesOf(source: string): string[] {
  return specifiersOf(source).filter((specifier) => !specifier.startsWith('.'))
}

function specifiersOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const places = /(?:(?<!['"])\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*|\.resolve\()(['"])([^'"\s]+)\1/g
  return [...code.matchAll(places)].map(([, , specifier = '']) => specifier)
}

/** The TypeScript of a folder and of those below it. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
}
