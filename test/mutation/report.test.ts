import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Mutant } from '../../tools/mutation/mutant.ts'
import { readOptions } from '../../tools/mutation/options.ts'
import { type Judged, report } from '../../tools/mutation/report.ts'
import { openResults, type Result } from '../../tools/mutation/results.ts'
import { filesOfRooms, isIn, ROOMS, roomOf } from '../../tools/mutation/rooms.ts'
import { sampleOf } from '../../tools/mutation/sample.ts'
import { ROOT } from '../house/imports.ts'

function mutant(id: number, file = 'src/domain/queue/lane.ts'): Mutant {
  return { id, file, line: id, operator: 'relation', from: 'a < b', to: 'a <= b', key: `${file}:${id}` }
}

const judged = (id: number, result: Result['result'], file?: string): Judged => {
  const of = mutant(id, file)
  return { mutant: of, result: { key: of.key, result, by: null, own: false } }
}

test('When mutants were judged, then each room has its figures, and what nobody noticed is listed', () => {
  const flow = 'src/flows/route.ts'
  const text = report([
    judged(1, 'killed'),
    judged(2, 'survived'),
    judged(3, 'timeout', flow),
    judged(4, 'uncovered', flow),
  ])
  expect(text.split('\n').slice(2)).toEqual([
    '| domain/queue | 2 | 1 | 0 | 1 | 0 | 50.0 % |',
    '| flows | 2 | 0 | 1 | 0 | 1 | 50.0 % |',
    '| all | 4 | 1 | 1 | 1 | 1 | 50.0 % |',
    '',
    'src/domain/queue/lane.ts:2 relation: a < b → a <= b',
    'src/flows/route.ts:4 relation: a < b → a <= b (met by no test)',
    '',
  ])
})

test('When a sample is asked for twice, then it is the same; a greater one holds it', () => {
  const all = Array.from({ length: 50 }, (_, id) => mutant(id))
  const ten = sampleOf(all, 10, 7)
  expect(ten).toEqual(sampleOf(all, 10, 7))
  expect(ten).not.toEqual(sampleOf(all, 10, 8))
  expect(sampleOf(all, 20, 7)).toEqual(expect.arrayContaining(ten))
})

test('When a run was ended, then the next one knows what was judged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-mutation-'))
  try {
    openResults(join(folder, 'a')).add({ key: mutant(1).key, result: 'killed', by: 'a test', own: false })
    expect(openResults(join(folder, 'a')).of(mutant(1))).toMatchObject({ result: 'killed' })
    expect(openResults(join(folder, 'a')).of(mutant(2))).toBeUndefined()
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('When a room is named, then its files are those of the folder, or the one file', () => {
  const file = 'src/domain/queue/lane.ts'
  expect(
    ['domain', 'domain/queue', 'domain/queue/lane.ts', 'domain/que', 'flows'].map((room) => isIn(file, room)),
  ).toEqual([true, true, true, false, false])
  expect(roomOf(file)).toBe('domain/queue')
  expect(roomOf('src/flows/omnichannel/update.ts')).toBe('flows')
})

test('When rooms are listed, then each has files', () => {
  const files = filesOfRooms(ROOT)
  for (const room of Object.keys(ROOMS))
    expect(
      files.some((file) => isIn(file, room)),
      room,
    ).toBe(true)
})

test('When a run is asked for, then what was not said is as it is meant, and a mistake is named', () => {
  expect(readOptions(['--sample', '20', 'domain/queue'])).toMatchObject({
    rooms: ['domain/queue'],
    sample: 20,
    processes: 2,
  })
  expect(() => readOptions(['--sample', 'few'])).toThrow('--sample few: a whole number from 1 is needed.')
})
