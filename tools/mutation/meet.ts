import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'
import { type Place, runProcess } from './run/processes.ts'
import type { Line, Met } from './run/work.ts'

/** A file of tests and what it meets, as it was kept. */
type Kept = Met & { of: string }

/**
 * What each file of tests meets. What was learnt by an earlier run is read again, as long as neither the file nor any file that is judged
 * has changed.
 */
export async function learnMet(
  place: Place,
  mutants: readonly Mutant[],
  files: readonly string[],
  processes: number,
  tell: (text: string) => void,
): Promise<Map<string, Met>> {
  const path = join(place.folder, 'met.lines')
  const all = createHash('sha256')
    .update(mutants.map(({ key }) => key).join('\n'))
    .digest('hex')
  const stamp = (file: string) =>
    createHash('sha256')
      .update(all)
      .update(readFileSync(join(place.root, file)))
      .digest('hex')
      .slice(0, 16)
  const met = new Map<string, Met>()
  for (const kept of readKept(path))
    if (files.includes(kept.file) && kept.of === stamp(kept.file)) met.set(kept.file, kept)

  const missing = files.filter((file) => !met.has(file))
  const take = (line: Line) => {
    if (line.type !== 'met') return
    appendFileSync(path, `${JSON.stringify({ ...line, of: stamp(line.file) })}\n`)
    met.set(line.file, line)
    tell(`${met.size}/${files.length} ${line.file}${line.fault === null ? '' : `: left out, ${line.fault}`}`)
  }
  const parts = Array.from({ length: processes }, (_, part) => missing.filter((_, index) => index % processes === part))
  await Promise.all(
    parts.map(async (part, number) => {
      for (let rest = part; rest.length > 0; ) {
        const { late } = await runProcess(place, `meet-${number}`, { type: 'meet', files: rest }, take)
        if (late !== null) take({ type: 'met', file: late, loadMs: 0, around: '', tests: [], fault: 'it did not end' })
        rest = rest.filter((file) => !met.has(file))
      }
    }),
  )
  return met
}

function readKept(path: string): Kept[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Kept)
}

/** The files of tests of a room, by the folders that mirror it; null: all. */
export function testFiles(root: string, rooms: readonly string[] | null): string[] {
  const globs = rooms?.map((room) => `test/${room.replace(/\.ts$/, '')}{.test.ts,/**/*.test.ts}`) ?? [
    'test/**/*.test.ts',
  ]
  const judged = (file: string) =>
    !/^test\/(attack|mutation|shipped|process|docs\/(?!docs)|architecture|house\/(?!registries))/.test(file)
  return globSync(globs, { cwd: root }).filter(judged).sort()
}
