import { describe, expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { saleStoreConfigIssues } from '../../../src/app/config-checks.ts'
import type { IndexedStore } from '../../../src/domain/stores/store-index.ts'
import { eventually } from '../../eventually.ts'
import { createFolder, startTestHub } from '../../hub.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

function store(number: string | null, countryCode: string | null, goneAt: number | null = null): IndexedStore {
  return { storeId: `id-${number}`, number, stockId: '1', countryCode, goneAt }
}

function configIssuesOf(saleStores: Record<string, string>, ...stores: IndexedStore[]) {
  return saleStoreConfigIssues(saleStores, stores)
}

describe('the store of a country', () => {
  test('when it is there and in that country, or its country is not known, then all is well', () => {
    expect(configIssuesOf({ NO: ' A-1 ', SE: '201' }, store('a-1', 'no'), store('201', null))).toEqual([])
    expect(configIssuesOf({}, store('101', 'NO'))).toEqual([])
  })

  test('when no stores are known yet, it is not among them, or it has gone since, then the start is not refused', () => {
    expect(configIssuesOf({ NO: '101' })).toEqual([])
    expect(configIssuesOf({ NO: '101' }, store('102', 'NO'))).toEqual([])
    expect(configIssuesOf({ NO: '101' }, store('102', 'NO'), store('101', 'NO', 1))).toEqual([])
  })

  test('when it is in another country, or several have its number, then it is refused', () => {
    const path = ['platform', 'saleStores', 'NO']
    expect(configIssuesOf({ NO: '201' }, store('201', 'SE'))).toEqual([
      { path, found: '201, a store in SE', expected: 'a store in NO' },
    ])
    expect(configIssuesOf({ NO: '101' }, store('101', 'NO'), store('101', 'NO'))).toEqual([
      { path, found: '101, which 2 stores have', expected: 'the number of one store alone' },
    ])
  })

  test('when a store that has gone had the number of one in another country, then only the present one counts', () => {
    expect(configIssuesOf({ NO: '101' }, store('101', 'SE', 1), store('101', 'NO'))).toEqual([])
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
        expect.objectContaining({ msg: 'config.doubtful', key: 'platform.saleStores.NO', found: '201, a store in SE' }),
      ),
    )
  }
  await expect(startTestHub({ folder: folder.path, config: { ...config, ...file } })).rejects.toThrow(
    'platform.saleStores.NO: found 201, a store in SE, expected a store in NO',
  )
})
