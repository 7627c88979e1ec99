import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { compare, thereOf } from '../days/compare-kit.ts'
import { openStorage } from '../days/open-store.ts'

test('When an ERP fetches its files, then nothing is claimed; where a record was cut out of one that lies there, it is a gap', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-compared-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const clock = createTestClock()
  await using storage = await openStorage({ clock, others: { erp: { adapter: 'files', folder, write: { sale: {} } } } })
  const { hub, platform, quiet } = storage
  await hub.admin('jobs/stores/run', {})
  const files = async () => (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  for (const quantity of [1, 2]) platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity })
  await quiet()
  const [first = ''] = await files()
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 3 })
  await quiet()
  const [second = ''] = (await files()).filter((name) => name !== first)
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'erp')).toMatchObject({ days: [{ given: 3, there: 3, unknown: 0 }] })

  await rm(join(folder, second))
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'erp')).toMatchObject({ verdict: 'proven', days: [{ given: 3, there: 2, unknown: 1 }] })

  const lines = (await readFile(join(folder, first), 'utf8')).split('\n')
  const cut = lines.findLast((line) => line !== '') ?? ''
  await writeFile(join(folder, first), lines.filter((line) => line !== cut).join('\n'))
  const [gap, ...others] = await compare({ hub, clock })
  expect(others).toEqual([])
  expect(gap).toMatchObject({ cause: 'not-there', subject: cut.split(',')[0] })
  expect(gap?.evidence.destination?.there).toBe('its file was changed, and has it no more')

  const delivery = String(gap?.evidence.destination?.delivery)
  const before = await files()
  expect((await asking(hub)('deliveries', 'resend', delivery, '--reason', 'cut out')).code).toBe(0)
  await quiet()
  expect(await files()).toHaveLength(before.length + 1)
  expect(await compare({ hub, clock })).toEqual([])

  await rm(folder, { recursive: true })
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'erp')).toMatchObject({ problem: expect.stringContaining('is not there') })
})
