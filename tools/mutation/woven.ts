import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import type { Mutant } from './mutant.ts'
import { weave } from './weave.ts'

/** Writes the woven files of a run, without types, beneath its folder; gives back all of their mutants. */
export function writeWoven(root: string, folder: string, files: readonly string[]): Mutant[] {
  const mutants: Mutant[] = []
  const sources = files.map((file) => {
    const woven = weave(file, readFileSync(join(root, file), 'utf8'), mutants.length)
    mutants.push(...woven.mutants)
    return { file, source: woven.source }
  })
  const stamp = createHash('sha256').update(JSON.stringify(sources)).digest('hex')
  const stampFile = join(folder, 'woven.stamp')
  // Another run may be reading them.
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return mutants

  const top = join(folder, 'woven')
  rmSync(top, { recursive: true, force: true })
  for (const { file, source } of sources) {
    const path = join(top, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, stripTypeScriptTypes(source))
  }
  writeFileSync(stampFile, stamp)
  return mutants
}
