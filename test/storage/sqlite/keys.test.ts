import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Arrival } from '../../../src/storage/arrival.ts'
import { openFile, temporaryFolder } from './file.ts'
import { byIdentityOnly, byTransportKeyOnly, copyOf, sales, takeAll } from './keys-given.ts'

/* New keys wait in memory before they are merged into their table: none of that may show. */

test('When the hub is killed while keys wait in memory, then what was seen is a copy all the same, twice over', async () => {
  using folder = temporaryFolder()
  const first = sales(0, 3_000)
  const second = sales(3_000, 3_000)

  await using storage = await openFile(join(folder.path, 'store.db'))
  expect(await takeAll(storage, first)).toEqual({ accepted: 3_000 })

  const killed = copyOf(folder.path, 'store', 'killed')
  await using afterKill = await openFile(killed)
  expect(await takeAll(afterKill, first)).toEqual({ duplicate: 3_000 })
  expect(await takeAll(afterKill, second)).toEqual({ accepted: 3_000 })

  const killedAgain = copyOf(folder.path, 'killed', 'killed-again')
  await using afterBoth = await openFile(killedAgain)
  expect(await takeAll(afterBoth, byIdentityOnly([...first, ...second]))).toEqual({ duplicate: 6_000 })
  expect(await takeAll(afterBoth, byTransportKeyOnly([...first, ...second]))).toEqual({ duplicate: 6_000 })
})

test('When a refused body leaves a trace and the hub is killed, then the whole one is still news', async () => {
  using folder = temporaryFolder()
  const [sale] = sales(0, 1) as [Arrival]
  const refused: Arrival = { ...sale, body: new Uint8Array(), bodyHash: '', identity: null, problem: 'too large' }
  await using storage = await openFile(join(folder.path, 'store.db'))
  await storage.accept([{ ...refused, refused: true, deliveries: [] }])

  await using afterKill = await openFile(copyOf(folder.path, 'store', 'killed'))
  expect(await takeAll(afterKill, [sale])).toEqual({ accepted: 1 })
})

test('When a group is at fault and rolled back, then what was in it is still news', async () => {
  using folder = temporaryFolder()
  await using storage = await openFile(join(folder.path, 'store.db'))
  const [good, other] = sales(0, 2) as [Arrival, Arrival]
  const faulty = { ...other, kind: null } as unknown as Arrival
  await expect(storage.accept([good, faulty])).rejects.toThrow('NOT NULL')
  expect(await takeAll(storage, [good, other])).toEqual({ accepted: 2 })
})
