import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PersonalChange } from '../../src/storage/personal-places.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { claim, DELIVERED, eventsOf, settle } from './acting.ts'
import { openCopy, temporaryFolder } from './sqlite/file.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

test.for(['out', 'settled'] as const)(
  'When a person is erased while a delivery about them is %s, then what comes later under the old name goes out',
  async (when) => {
    await using the = await openCopy(empty, {})
    const { storage, about, clock } = the
    await storage.accept([about('customer:ola@example.com')])
    const out = await claim(storage)
    expect(out).toHaveLength(1)
    if (when === 'settled') await settle(storage, out, DELIVERED, clock.now())
    const { rows } = await storage.personalPage({ place: 'deliveries', containing: ['ola@example.com'], after: 0 })
    const changes = rows.map(
      ({ row, values }): PersonalChange => ({
        place: 'deliveries',
        row,
        from: values,
        to: values.map((value) => (typeof value === 'string' ? value.replace('ola@example.com', 'erased-1') : value)),
      }),
    )
    expect(await storage.rewritePersonal(changes)).toBe(1)
    expect(await claim(storage)).toEqual([])
    if (when === 'out') expect(await settle(storage, out, DELIVERED, clock.now())).toBe(true)
    // Months later they are a customer again.
    const [verdict] = await storage.accept([about('customer:ola@example.com')])
    expect(eventsOf(await claim(storage))).toEqual([verdict?.id])
  },
)
