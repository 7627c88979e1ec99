import { describe, expect, test } from 'vitest'
import type { MirrorRow } from '../../src/domain/catalogue/mirror.ts'
import { asking } from '../cli/run.ts'
import { row, shareDesk } from '../http/read-models/given.ts'

const DAY = '2026-11-20'
const DAYS = ['--from', DAY, '--to', DAY]

describe('a store that a question is about', () => {
  const desk = shareDesk()

  test.each([
    [
      ['complete', '--store', '999'],
      'store: no store "999" is known, by its number or the platform\'s id: expected one of ',
    ],
    [['complete', '--store', 'wep'], 'did you mean "web"?'],
    [['settlements', 'missing', ...DAYS, '--store', '999'], 'store: no store "999" is known'],
    [
      ['gaps', 'list', '--store-id', '999'],
      'storeId: no store is known that has the id "999" at the platform: expected one of ',
    ],
    [['gaps', 'list', '--store-id', '201'], 'the store with that number has the id 43'],
    [['gaps', 'explain', '--store-id', '999', '--reason', 'x'], 'storeId: no store is known that has the id "999"'],
  ])(
    'When %j names none that is known, then that is refused, and nobody reads that all is well',
    async (args, words) => {
      const ran = await asking(desk().hub)(...args)
      expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words) })
    },
  )

  test('When it is named by its number or by its id, then it is the same store', async () => {
    const run = asking(desk().hub)
    const now = Date.now()
    const mark = { level: 'log', kind: 'SaleCreated', from: 0, until: now, since: now } as const
    await desk().hub.hub.storage.saveReconciliation(
      { watermarks: ['42', '43'].map((storeId) => ({ type: 'put', watermark: { ...mark, storeId } })) },
      now,
    )
    const storesOf = async (named: string) => {
      const { watermarks } = JSON.parse((await run('complete', '--store', named, '--json')).out)
      return watermarks.map((one: { storeId: string }) => one.storeId)
    }
    expect(await storesOf('201')).toEqual(['43'])
    expect(await storesOf('43')).toEqual(['43'])
    // The web shop's id is the number of another store: the number goes first.
    expect(await storesOf('101')).toEqual(['42'])
    // The platform has it no more; what it sold may be asked for.
    expect(await storesOf('7')).toEqual([])
  })

  test('When sales of a store are kept under its number, then its id finds them, too', async () => {
    const sold: MirrorRow = row('sales', 's-1', { place: '201', day: DAY, body: { storeNo: '201', posId: '1' } })
    await desk().save(sold)
    for (const named of ['201', '43'])
      expect(await asking(desk().hub)('settlements', 'missing', ...DAYS, '--store', named)).toMatchObject({
        code: 1,
        out: expect.stringContaining('1 sale and 0 settlements were looked at.'),
      })
  })
})
