import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { judgeAll } from './judge.ts'
import { learnMet, testFiles } from './meet.ts'
import type { Mutant } from './mutant.ts'
import { readOptions } from './options.ts'
import { createPlan } from './plan.ts'
import { type Judged, report } from './report.ts'
import { openResults } from './results.ts'
import { filesOfRooms, isIn } from './rooms.ts'
import { sampleOf } from './sample.ts'
import { writeWoven } from './woven.ts'

const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
const options = readOptions(process.argv.slice(2))
const folder = options.folder === null ? join(root, '.mutation') : resolve(options.folder)
mkdirSync(folder, { recursive: true })

const mutants = writeWoven(root, folder, filesOfRooms(root))
const results = openResults(join(folder, 'results.lines'))
const chosen = choose()
const place = { folder, root, count: mutants.length }
console.log(`${chosen.length} of ${mutants.length} mutants`)

if (!options.show) await judge()
const judged = chosen.flatMap((mutant): Judged[] => {
  const result = results.of(mutant)
  return result ? [{ mutant, result }] : []
})
const text = report(judged)
writeFileSync(join(folder, 'report.md'), text)
console.log(text)

function choose(): Mutant[] {
  const rooms = options.rooms.length === 0 ? [null] : options.rooms
  return rooms.flatMap((room) => {
    const own = mutants.filter(({ file }) => room === null || isIn(file, room))
    return options.sample === null ? own : sampleOf(own, options.sample, options.seed)
  })
}

async function judge(): Promise<void> {
  const files = testFiles(root, options.own ? options.rooms : null)
  const met = await learnMet(place, mutants, files, options.processes, console.log)
  const byFile = Map.groupBy(mutants, ({ file }) => file)
  const whereIs = (id: number) => {
    const file = mutants[id]?.file ?? ''
    const siblings = (byFile.get(file) ?? []).map((mutant) => mutant.id)
    return { siblings, mirror: `${dirname(file).replace(/^src/, 'test')}/` }
  }
  const plan = createPlan(met.values(), { files: options.files, ms: options.longest * 1_000 }, whereIs)
  const isDone = (mutant: Mutant) => {
    const { result, own = false } = results.of(mutant) ?? {}
    if (result === undefined || result === 'killed' || result === 'timeout') return result !== undefined
    return !options.again && (options.own || !own)
  }
  const questions = chosen.filter((mutant) => !isDone(mutant)).map(({ id }) => plan(id))
  for (const { mutant, runs } of questions) if (runs.length === 0) add(mutant, 'uncovered', null)
  const asked = questions.filter(({ runs }) => runs.length > 0)
  let done = 0
  await judgeAll(
    place,
    asked,
    options.processes,
    { times: 5, ms: options.seconds * 1_000 },
    ({ mutant, result, by }) => {
      add(mutant, result, by)
      done += 1
      if (done % 50 === 0) console.log(`${new Date().toISOString().slice(11, 19)} ${done}/${asked.length}`)
    },
  )
}

function add(id: number, result: 'killed' | 'survived' | 'timeout' | 'uncovered', by: string | null): void {
  const mutant = mutants[id]
  if (mutant) results.add({ key: mutant.key, result, by, own: options.own })
}
