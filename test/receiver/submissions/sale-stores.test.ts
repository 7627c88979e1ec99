import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/domain/errors.ts'
import { type KnownStore, presentOf } from '../../../src/domain/store-directory.ts'
import { checkSaleStores } from '../../../src/receiver/submissions/sale-stores.ts'
import { startPlatform } from '../../../src/sandbox/platform/platform.ts'
import { eventually } from '../../eventually.ts'
import { createFolder, startTestHub } from '../../hub.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

function store(number: string | null, countryCode: string | null, goneAt: number | null = null): KnownStore {
  return { storeId: `id-${number}`, number, stockId: '1', countryCode, goneAt }
}

function checked(saleStores: Record<string, string>, ...stores: KnownStore[]) {
  return () => checkSaleStores(saleStores, stores)
}

describe('the store of a country', () => {
  test('when it is there and in that country, or its country is not known, then all is well', () => {
    checked({ NO: ' A-1 ', SE: '201' }, store('a-1', 'no'), store('201', null))()
    checked({}, store('101', 'NO'))()
  })

  test('when no stores are known yet, or it has gone since, then the start is not refused', () => {
    checked({ NO: '101' })()
    checked({ NO: '101' }, store('102', 'NO'), store('101', 'NO', 1))()
  })

  test('when the platform has no such store, then it is refused with those that there are', () => {
    const refused = new UserError('platform.saleStores.NO: the platform has no store 101; it has 102.')
    expect(checked({ NO: '101' }, store('102', 'NO'), store(null, 'NO'))).toThrow(refused)
    const gone = store('101', 'NO', 1)
    expect(checked({ NO: '101' }, ...presentOf([store('102', 'NO'), gone]))).toThrow(refused)
    expect(checked({ NO: '101' }, store(null, 'NO'))).toThrow('it has none with a number')
  })

  test('when it is in another country, or several have its number, then it is refused', () => {
    expect(checked({ NO: '201' }, store('201', 'SE'))).toThrow(
      new UserError('platform.saleStores.NO: the store 201 is in SE, not in NO.'),
    )
    expect(checked({ NO: '101' }, store('101', 'NO'), store('101', 'NO'))).toThrow('2 stores have the number 101')
  })

  test('when a store that has gone had the number of one in another country, then only the present one counts', () => {
    checked({ NO: '101' }, store('101', 'SE', 1), store('101', 'NO'))()
  })
})

test('when a hub that knows the stores is started with a wrong one, then it does not start; the first start only logs it', async () => {
  await using platform = await startPlatform(KEYS)
  await using folder = await createFolder()
  const config = { platform: { baseUrl: platform.url, ...KEYS, saleStores: { NO: '201' } } }
  const file = { store: { url: `file:${folder.path}/hub.sqlite` } }
  {
    await using hub = await startTestHub({ folder: folder.path, config: { ...config, ...file } })
    await hub.admin('jobs/stores/run', {})
    await eventually(async () =>
      expect(hub.lines).toContainEqual(
        expect.objectContaining({
          msg: 'config.sale-store',
          problem: 'platform.saleStores.NO: the store 201 is in SE, not in NO.',
        }),
      ),
    )
  }

  await expect(startTestHub({ folder: folder.path, config: { ...config, ...file } })).rejects.toThrow(
    new UserError('platform.saleStores.NO: the store 201 is in SE, not in NO.'),
  )
})
