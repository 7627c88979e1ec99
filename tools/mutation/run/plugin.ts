import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Gives tests the woven files of src instead of its own, under the same names. */
export function wovenFiles() {
  const folder = join(process.env.MUTATION_FOLDER ?? '', 'woven')
  const root = process.env.MUTATION_ROOT ?? ''
  return {
    name: 'woven-files',
    enforce: 'pre' as const,
    load(id: string): string | null {
      const [path = ''] = id.split('?')
      const woven = join(folder, relative(root, path))
      return path.startsWith(`${root}/src/`) && existsSync(woven) ? readFileSync(woven, 'utf8') : null
    },
  }
}
